-- A store of version 1, as uaef wrote it on SQLite: one run with two trials of a conversation.
CREATE TABLE uaef_version (
  version INTEGER NOT NULL
);
INSERT INTO uaef_version VALUES (1);
CREATE TABLE uaef_runs (
  run_id TEXT NOT NULL,
  status TEXT NOT NULL,
  verdict TEXT,
  finished_at TEXT,
  label TEXT,
  dataset TEXT NOT NULL,
  branch TEXT,
  info TEXT NOT NULL,
  writer TEXT NOT NULL,
  n_results BIGINT DEFAULT '0' NOT NULL,
  n_scored BIGINT DEFAULT '0' NOT NULL,
  n_not_applicable BIGINT DEFAULT '0' NOT NULL,
  n_failed BIGINT DEFAULT '0' NOT NULL,
  PRIMARY KEY (run_id)
);
INSERT INTO uaef_runs VALUES ('run-000', 'complete', 'scored', '2026-12-01T06:43:06.327671+00:00', 'first', 'support', 'main', '{"run_id":"run-000","started_at":"2026-12-01T06:18:52.123456Z","finished_at":null,"status":"running","label":"first","dataset":"support","dataset_hash":"","agent":"","history":"","judge":null,"repeat":1,"trials":"all","n_planned":3,"verdict":null,"version":"","commit":"abc+","branch":"main","parameters":{"limit":5},"tags":["x"]}', '52faa7041f52f231', 2, 4, 2, 0);
CREATE TABLE uaef_results (
  result_id INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  beside BOOLEAN NOT NULL,
  position BIGINT NOT NULL,
  name TEXT NOT NULL,
  trial BIGINT NOT NULL,
  thread_id TEXT,
  n_scored BIGINT NOT NULL,
  n_not_applicable BIGINT NOT NULL,
  n_failed BIGINT NOT NULL,
  conversation TEXT,
  rest TEXT NOT NULL,
  PRIMARY KEY (result_id),
  UNIQUE (run_id, beside, position),
  FOREIGN KEY(run_id) REFERENCES uaef_runs (run_id) ON DELETE CASCADE
);
INSERT INTO uaef_results VALUES (1, 'run-000', 0, 0, 'refund', 0, 'thread-refund-0', 2, 1, 0, '{"name":"refund","turns":[{"trace":{"trace_id":"refund#1","session_id":"refund","messages":[{"role":"user","content":"q1","tool_calls":[],"agent":null,"tool_call_id":null,"timestamp":null,"metadata":{}},{"role":"assistant","content":"a1 of refund","tool_calls":[],"agent":null,"tool_call_id":null,"timestamp":null,"metadata":{}}],"tool_calls":[],"input_tokens":null,"output_tokens":null,"latency":null,"cost":null,"metadata":{},"framework":null,"timestamp":null},"number":1,"expected":null,"tags":[],"error":null,"shown":null},{"trace":{"trace_id":"refund#2","session_id":"refund","messages":[{"role":"user","content":"q2","tool_calls":[],"agent":null,"tool_call_id":null,"timestamp":null,"metadata":{}},{"role":"assistant","content":"a2 of refund","tool_calls":[],"agent":null,"tool_call_id":null,"timestamp":null,"metadata":{}}],"tool_calls":[],"input_tokens":null,"output_tokens":null,"latency":null,"cost":null,"metadata":{},"framework":null,"timestamp":null},"number":2,"expected":null,"tags":[],"error":null,"shown":null}],"expected":null,"tags":["returns"],"trial":0,"recorded":null,"about":null,"planned":null,"window":[0,2]}', '{"trace_id":"refund","dimension_results":[],"overall_score":null,"verdict":null,"passed":false,"failures":[],"warnings":[],"errors":[],"claims":[],"missed":[],"unmeasured":[],"worst":0,"broken_turn":null,"turns_passed":{"1":true,"2":false},"absent_turns":[],"unjudged":[],"metadata":{},"turn_keys":[{"name":"refund#1","own":"own1","context":"before1"},{"name":"refund#2","own":"own2","context":"before2"}],"trial":0,"thread_id":"thread-refund-0","seconds":null,"cost":null,"evaluation_id":"refund-0"}');
INSERT INTO uaef_results VALUES (2, 'run-000', 0, 1, 'refund', 1, 'thread-refund-1', 2, 1, 0, '{"name":"refund","turns":[{"trace":{"trace_id":"refund#1","session_id":"refund","messages":[{"role":"user","content":"q1","tool_calls":[],"agent":null,"tool_call_id":null,"timestamp":null,"metadata":{}},{"role":"assistant","content":"a1 of refund","tool_calls":[],"agent":null,"tool_call_id":null,"timestamp":null,"metadata":{}}],"tool_calls":[],"input_tokens":null,"output_tokens":null,"latency":null,"cost":null,"metadata":{},"framework":null,"timestamp":null},"number":1,"expected":null,"tags":[],"error":null,"shown":null},{"trace":{"trace_id":"refund#2","session_id":"refund","messages":[{"role":"user","content":"q2","tool_calls":[],"agent":null,"tool_call_id":null,"timestamp":null,"metadata":{}},{"role":"assistant","content":"a2 of refund","tool_calls":[],"agent":null,"tool_call_id":null,"timestamp":null,"metadata":{}}],"tool_calls":[],"input_tokens":null,"output_tokens":null,"latency":null,"cost":null,"metadata":{},"framework":null,"timestamp":null},"number":2,"expected":null,"tags":[],"error":null,"shown":null}],"expected":null,"tags":["returns"],"trial":0,"recorded":null,"about":null,"planned":null,"window":[0,2]}', '{"trace_id":"refund","dimension_results":[],"overall_score":null,"verdict":null,"passed":false,"failures":[],"warnings":[],"errors":[],"claims":[],"missed":[],"unmeasured":[],"worst":0,"broken_turn":null,"turns_passed":{"1":true,"2":false},"absent_turns":[],"unjudged":[],"metadata":{},"turn_keys":[{"name":"refund#1","own":"own1","context":"before1"},{"name":"refund#2","own":"own2","context":"before2"}],"trial":1,"thread_id":"thread-refund-1","seconds":null,"cost":null,"evaluation_id":"refund-1"}');
CREATE TABLE uaef_measurements (
  result_id INTEGER NOT NULL,
  place BIGINT NOT NULL,
  slice_name TEXT NOT NULL,
  turns TEXT NOT NULL,
  turn BIGINT,
  whole BOOLEAN NOT NULL,
  trial BIGINT NOT NULL,
  metric TEXT NOT NULL,
  dimension TEXT NOT NULL,
  status TEXT NOT NULL,
  score DOUBLE,
  reasoning TEXT,
  score_name TEXT NOT NULL,
  metadata TEXT NOT NULL,
  judge TEXT,
  rubric_version TEXT,
  tags TEXT NOT NULL,
  seconds DOUBLE,
  cost DOUBLE,
  thread_id TEXT,
  trace_id TEXT,
  span_id TEXT,
  own TEXT,
  context TEXT,
  PRIMARY KEY (result_id, place),
  FOREIGN KEY(result_id) REFERENCES uaef_results (result_id) ON DELETE CASCADE
)
 WITHOUT ROWID;
INSERT INTO uaef_measurements VALUES (1, 0, 'refund#1', '[1]', 1, 0, 0, 'relevance', 'Quality', 'scored', 0.5, 'because 1', 'relevance', '{"judge":"openai:m","rubric_version":"3"}', 'openai:m', '3', '["returns"]', 0.25, 0.001, 'thread-refund-0', 'refund#1', NULL, 'own1', 'before1');
INSERT INTO uaef_measurements VALUES (1, 1, 'refund#2', '[2]', 2, 0, 0, 'relevance', 'Quality', 'scored', 0.5, 'because 2', 'relevance', '{"judge":"openai:m","rubric_version":"3"}', 'openai:m', '3', '["returns"]', 0.25, 0.001, 'thread-refund-0', 'refund#2', NULL, 'own2', 'before2');
INSERT INTO uaef_measurements VALUES (1, 2, 'refund', '[1,2]', NULL, 1, 0, 'called', 'Tools', 'not_applicable', NULL, 'no tools expected', 'called', '{"warning":"not_applicable"}', NULL, NULL, '[]', NULL, NULL, 'thread-refund-0', 'refund', NULL, NULL, NULL);
INSERT INTO uaef_measurements VALUES (2, 0, 'refund#1', '[1]', 1, 0, 1, 'relevance', 'Quality', 'scored', 1.0, 'because 1', 'relevance', '{"judge":"openai:m","rubric_version":"3"}', 'openai:m', '3', '["returns"]', 0.25, 0.001, 'thread-refund-1', 'refund#1', NULL, 'own1', 'before1');
INSERT INTO uaef_measurements VALUES (2, 1, 'refund#2', '[2]', 2, 0, 1, 'relevance', 'Quality', 'scored', 1.0, 'because 2', 'relevance', '{"judge":"openai:m","rubric_version":"3"}', 'openai:m', '3', '["returns"]', 0.25, 0.001, 'thread-refund-1', 'refund#2', NULL, 'own2', 'before2');
INSERT INTO uaef_measurements VALUES (2, 2, 'refund', '[1,2]', NULL, 1, 1, 'called', 'Tools', 'not_applicable', NULL, 'no tools expected', 'called', '{"warning":"not_applicable"}', NULL, NULL, '[]', NULL, NULL, 'thread-refund-1', 'refund', NULL, NULL, NULL);
