-- Create "auth_audit" table
CREATE TABLE `auth_audit` (`id` text NOT NULL, `ts` integer NOT NULL, `action` text NOT NULL, `ok` bool NOT NULL, `principal_id` text NULL, `actor` text NULL, `remote_addr` text NULL, `details` json NULL, PRIMARY KEY (`id`));
-- Create index "authaudit_action_id" to table: "auth_audit"
CREATE INDEX `authaudit_action_id` ON `auth_audit` (`action`, `id`);
-- Create index "authaudit_principal_id_id" to table: "auth_audit"
CREATE INDEX `authaudit_principal_id_id` ON `auth_audit` (`principal_id`, `id`);
-- Create "blocked_attempts" table
CREATE TABLE `blocked_attempts` (`id` text NOT NULL, `ts` integer NOT NULL, `session_id` text NOT NULL, `session_slug` text NOT NULL, `tool_event_id` text NULL, `domain` text NULL, `pattern` text NOT NULL, `source` text NOT NULL, `tool` text NULL, `url` text NOT NULL, PRIMARY KEY (`id`));
-- Create index "blockedattempt_session_id_id" to table: "blocked_attempts"
CREATE INDEX `blockedattempt_session_id_id` ON `blocked_attempts` (`session_id`, `id`);
-- Create index "blockedattempt_domain_id" to table: "blocked_attempts"
CREATE INDEX `blockedattempt_domain_id` ON `blocked_attempts` (`domain`, `id`);
-- Create index "blockedattempt_pattern_id" to table: "blocked_attempts"
CREATE INDEX `blockedattempt_pattern_id` ON `blocked_attempts` (`pattern`, `id`);
-- Create index "blockedattempt_source_id" to table: "blocked_attempts"
CREATE INDEX `blockedattempt_source_id` ON `blocked_attempts` (`source`, `id`);
-- Create index "blockedattempt_tool_id" to table: "blocked_attempts"
CREATE INDEX `blockedattempt_tool_id` ON `blocked_attempts` (`tool`, `id`);
-- Create "call_counts" table
CREATE TABLE `call_counts` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `hour` integer NOT NULL, `owner` text NOT NULL, `tool` text NOT NULL, `error_code` text NOT NULL, `calls` integer NOT NULL);
-- Create index "callcount_hour_owner_tool_error_code" to table: "call_counts"
CREATE UNIQUE INDEX `callcount_hour_owner_tool_error_code` ON `call_counts` (`hour`, `owner`, `tool`, `error_code`);
-- Create "credentials" table
CREATE TABLE `credentials` (`id` text NOT NULL, `name` text NOT NULL, `kind` text NOT NULL, `prefix` text NOT NULL, `hash` blob NOT NULL, `created_at` integer NOT NULL, `created_by` text NULL, `last_used_at` integer NULL, `revoked_at` integer NULL, `principal_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `credentials_principals_credentials` FOREIGN KEY (`principal_id`) REFERENCES `principals` (`id`) ON DELETE CASCADE);
-- Create index "credentials_hash_key" to table: "credentials"
CREATE UNIQUE INDEX `credentials_hash_key` ON `credentials` (`hash`);
-- Create index "credential_created_at_id" to table: "credentials"
CREATE INDEX `credential_created_at_id` ON `credentials` (`created_at`, `id`);
-- Create index "credential_principal_id" to table: "credentials"
CREATE INDEX `credential_principal_id` ON `credentials` (`principal_id`);
-- Create "log_records" table
CREATE TABLE `log_records` (`id` text NOT NULL, `ts` integer NOT NULL, `seq` integer NOT NULL, `level` text NOT NULL, `module` text NULL, `session_id` text NULL, `principal` text NULL, `trace_id` text NULL, `request_id` text NULL, `msg` text NOT NULL, `attrs` json NULL, PRIMARY KEY (`id`));
-- Create index "logrecord_session_id_id" to table: "log_records"
CREATE INDEX `logrecord_session_id_id` ON `log_records` (`session_id`, `id`);
-- Create index "logrecord_level_id" to table: "log_records"
CREATE INDEX `logrecord_level_id` ON `log_records` (`level`, `id`);
-- Create "schema_history" table
CREATE TABLE `schema_history` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `name` text NOT NULL, `reader` integer NOT NULL, `app_version` text NOT NULL, `applied_at` integer NOT NULL);
-- Create "notifications" table
CREATE TABLE `notifications` (`id` text NOT NULL, `type` text NOT NULL, `cause` text NOT NULL, `title` text NOT NULL, `body` text NULL, `session_id` text NULL, `session_slug` text NULL, `target` text NULL, `source_event_id` text NULL, `created_at` integer NOT NULL, `updated_at` integer NOT NULL, `count` integer NOT NULL DEFAULT (1), `read_at` integer NULL, `dismissed_at` integer NULL, `principal_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `notifications_principals_notifications` FOREIGN KEY (`principal_id`) REFERENCES `principals` (`id`) ON DELETE CASCADE);
-- Create index "notification_principal_id_updated_at_id" to table: "notifications"
CREATE INDEX `notification_principal_id_updated_at_id` ON `notifications` (`principal_id`, `updated_at`, `id`) WHERE dismissed_at IS NULL;
-- Create index "notification_principal_id_type_updated_at_id" to table: "notifications"
CREATE INDEX `notification_principal_id_type_updated_at_id` ON `notifications` (`principal_id`, `type`, `updated_at`, `id`) WHERE dismissed_at IS NULL;
-- Create index "notification_principal_id_session_id_updated_at_id" to table: "notifications"
CREATE INDEX `notification_principal_id_session_id_updated_at_id` ON `notifications` (`principal_id`, `session_id`, `updated_at`, `id`) WHERE dismissed_at IS NULL;
-- Create index "notification_unread" to table: "notifications"
CREATE INDEX `notification_unread` ON `notifications` (`principal_id`, `updated_at`, `id`) WHERE read_at IS NULL AND dismissed_at IS NULL;
-- Create index "notification_principal_id_cause" to table: "notifications"
CREATE INDEX `notification_principal_id_cause` ON `notifications` (`principal_id`, `cause`);
-- Create index "notification_session_id" to table: "notifications"
CREATE INDEX `notification_session_id` ON `notifications` (`session_id`);
-- Create "operator_sessions" table
CREATE TABLE `operator_sessions` (`id` text NOT NULL, `remote_addr` text NULL, `user_agent` text NULL, `created_at` integer NOT NULL, `last_seen_at` integer NOT NULL, `expires_at` integer NOT NULL, `principal_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `operator_sessions_principals_operator_sessions` FOREIGN KEY (`principal_id`) REFERENCES `principals` (`id`) ON DELETE CASCADE);
-- Create index "operatorsession_principal_id_last_seen_at" to table: "operator_sessions"
CREATE INDEX `operatorsession_principal_id_last_seen_at` ON `operator_sessions` (`principal_id`, `last_seen_at`);
-- Create index "operatorsession_expires_at" to table: "operator_sessions"
CREATE INDEX `operatorsession_expires_at` ON `operator_sessions` (`expires_at`);
-- Create "pages" table
CREATE TABLE `pages` (`id` text NOT NULL, `ts` integer NOT NULL, `session_id` text NOT NULL, `tab_id` text NULL, `domain` text NULL, `category` text NOT NULL, `title` text NULL, `url` text NOT NULL, PRIMARY KEY (`id`));
-- Create index "page_session_id_id" to table: "pages"
CREATE INDEX `page_session_id_id` ON `pages` (`session_id`, `id`);
-- Create index "page_domain_id" to table: "pages"
CREATE INDEX `page_domain_id` ON `pages` (`domain`, `id`);
-- Create index "page_category_id" to table: "pages"
CREATE INDEX `page_category_id` ON `pages` (`category`, `id`);
-- Create "preferences" table
CREATE TABLE `preferences` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `value` json NOT NULL, `updated_at` integer NOT NULL, `principal_id` text NOT NULL, CONSTRAINT `preferences_principals_preference` FOREIGN KEY (`principal_id`) REFERENCES `principals` (`id`) ON DELETE CASCADE);
-- Create index "preferences_principal_id_key" to table: "preferences"
CREATE UNIQUE INDEX `preferences_principal_id_key` ON `preferences` (`principal_id`);
-- Create "principals" table
CREATE TABLE `principals` (`id` text NOT NULL, `kind` text NOT NULL, `password_hash` text NULL, `must_change_password` bool NOT NULL DEFAULT (false), `password_changed_at` integer NULL, `created_at` integer NOT NULL, PRIMARY KEY (`id`));
-- Create "requests" table
CREATE TABLE `requests` (`id` text NOT NULL, `kind` text NOT NULL, `session_id` text NOT NULL, `session_slug` text NOT NULL, `owner` text NOT NULL, `tool` text NOT NULL, `event_id` text NULL, `mode` text NULL, `entry_name` text NULL, `status` text NOT NULL, `resolved_by` text NULL, `resolution_reason` text NULL, `created_at` integer NOT NULL, `resolved_at` integer NULL, `deadline_at` integer NOT NULL, `page_url` text NULL, `reason` text NULL, `message` text NULL, `options` json NULL, PRIMARY KEY (`id`));
-- Create index "request_kind_status_id" to table: "requests"
CREATE INDEX `request_kind_status_id` ON `requests` (`kind`, `status`, `id`);
-- Create index "request_kind_id" to table: "requests"
CREATE INDEX `request_kind_id` ON `requests` (`kind`, `id`);
-- Create index "request_session_id_id" to table: "requests"
CREATE INDEX `request_session_id_id` ON `requests` (`session_id`, `id`);
-- Create index "request_pending" to table: "requests"
CREATE INDEX `request_pending` ON `requests` (`session_id`, `kind`) WHERE status = 'pending';
-- Create "screenshots" table
CREATE TABLE `screenshots` (`id` text NOT NULL, `ts` integer NOT NULL, `session_id` text NOT NULL, `tool` text NOT NULL, `kind` text NOT NULL, `content_type` text NOT NULL, `width` integer NULL, `height` integer NULL, `size_bytes` integer NOT NULL, `path` text NOT NULL, PRIMARY KEY (`id`));
-- Create index "screenshot_session_id_id" to table: "screenshots"
CREATE INDEX `screenshot_session_id_id` ON `screenshots` (`session_id`, `id`);
-- Create "sessions" table
CREATE TABLE `sessions` (`id` text NOT NULL, `slug` text NOT NULL, `owner` text NOT NULL, `tenant_id` text NULL, `channel` text NOT NULL, `engine` text NULL, `headless` bool NOT NULL, `incognito` bool NOT NULL, `persistence_mode` text NOT NULL, `state` text NOT NULL, `current_url` text NULL, `created_at` integer NOT NULL, `last_activity_at` integer NOT NULL, `closed_at` integer NULL, `closed_reason` text NULL, `archived_at` integer NULL, `disable_evaluate` bool NOT NULL, `vault_enabled` bool NOT NULL, `stealth` bool NULL, `fingerprint` bool NULL, `humanize` bool NULL, `proxy_label` text NULL, `tool_calls` integer NOT NULL DEFAULT (0), `errors` integer NOT NULL DEFAULT (0), `pages` integer NOT NULL DEFAULT (0), `screenshots` integer NOT NULL DEFAULT (0), `blocked` integer NOT NULL DEFAULT (0), `vault_accesses` integer NOT NULL DEFAULT (0), `client` json NULL, `identity` json NULL, `warnings` json NULL, `trace` json NULL, PRIMARY KEY (`id`));
-- Create index "session_created_at_id" to table: "sessions"
CREATE INDEX `session_created_at_id` ON `sessions` (`created_at`, `id`, `closed_at`, `archived_at`, `owner`, `channel`, `persistence_mode`, `closed_reason`, `slug`);
-- Create index "session_owner_created_at_id" to table: "sessions"
CREATE INDEX `session_owner_created_at_id` ON `sessions` (`owner`, `created_at`, `id`);
-- Create index "session_live" to table: "sessions"
CREATE INDEX `session_live` ON `sessions` (`created_at`, `id`) WHERE closed_at IS NULL;
-- Create index "session_archived" to table: "sessions"
CREATE INDEX `session_archived` ON `sessions` (`created_at`, `id`) WHERE archived_at IS NOT NULL;
-- Create index "session_last_activity_at_id" to table: "sessions"
CREATE INDEX `session_last_activity_at_id` ON `sessions` (`last_activity_at`, `id`);
-- Create index "session_closed_at_id" to table: "sessions"
CREATE INDEX `session_closed_at_id` ON `sessions` (`closed_at`, `id`);
-- Create index "session_slug_id" to table: "sessions"
CREATE INDEX `session_slug_id` ON `sessions` (`slug`, `id`);
-- Create index "session_owner_id" to table: "sessions"
CREATE INDEX `session_owner_id` ON `sessions` (`owner`, `id`);
-- Create index "session_channel_id" to table: "sessions"
CREATE INDEX `session_channel_id` ON `sessions` (`channel`, `id`);
-- Create index "session_persistence_mode_id" to table: "sessions"
CREATE INDEX `session_persistence_mode_id` ON `sessions` (`persistence_mode`, `id`);
-- Create index "session_state_id" to table: "sessions"
CREATE INDEX `session_state_id` ON `sessions` (`state`, `id`);
-- Create index "session_current_url_id" to table: "sessions"
CREATE INDEX `session_current_url_id` ON `sessions` (`current_url`, `id`);
-- Create index "session_tool_calls_id" to table: "sessions"
CREATE INDEX `session_tool_calls_id` ON `sessions` (`tool_calls`, `id`);
-- Create index "session_errors_id" to table: "sessions"
CREATE INDEX `session_errors_id` ON `sessions` (`errors`, `id`);
-- Create index "session_blocked_id" to table: "sessions"
CREATE INDEX `session_blocked_id` ON `sessions` (`blocked`, `id`);
-- Create "system_events" table
CREATE TABLE `system_events` (`id` text NOT NULL, `code` text NOT NULL, `cause` text NOT NULL DEFAULT (''), `severity` text NOT NULL, `message` text NOT NULL, `first_seen_at` integer NOT NULL, `last_seen_at` integer NOT NULL, `count` integer NOT NULL DEFAULT (1), `resolved_at` integer NULL, `details` json NULL, PRIMARY KEY (`id`));
-- Create index "systemevent_last_seen_at_id" to table: "system_events"
CREATE INDEX `systemevent_last_seen_at_id` ON `system_events` (`last_seen_at`, `id`);
-- Create index "systemevent_severity_last_seen_at_id" to table: "system_events"
CREATE INDEX `systemevent_severity_last_seen_at_id` ON `system_events` (`severity`, `last_seen_at`, `id`);
-- Create index "systemevent_code_last_seen_at_id" to table: "system_events"
CREATE INDEX `systemevent_code_last_seen_at_id` ON `system_events` (`code`, `last_seen_at`, `id`);
-- Create index "systemevent_open" to table: "system_events"
CREATE INDEX `systemevent_open` ON `system_events` (`last_seen_at`, `id`) WHERE resolved_at IS NULL;
-- Create index "systemevent_code_cause_resolved_at" to table: "system_events"
CREATE INDEX `systemevent_code_cause_resolved_at` ON `system_events` (`code`, `cause`, `resolved_at`);
-- Create "tool_calls" table
CREATE TABLE `tool_calls` (`id` text NOT NULL, `ts` integer NOT NULL, `session_id` text NULL, `owner` text NOT NULL, `tool` text NOT NULL, `tab_id` text NULL, `ok` bool NOT NULL, `error_code` text NULL, `error_message` text NULL, `duration_ms` integer NOT NULL, `result_size_bytes` integer NULL, `trace_id` text NULL, `has_screenshot` bool NOT NULL DEFAULT (false), `client` json NULL, `args_json` text NULL, `result_text` text NULL, PRIMARY KEY (`id`));
-- Create index "toolcall_session_id_id" to table: "tool_calls"
CREATE INDEX `toolcall_session_id_id` ON `tool_calls` (`session_id`, `id`, `tool`, `error_code`);
-- Create index "toolcall_owner_id" to table: "tool_calls"
CREATE INDEX `toolcall_owner_id` ON `tool_calls` (`owner`, `id`);
-- Create index "toolcall_tool_id" to table: "tool_calls"
CREATE INDEX `toolcall_tool_id` ON `tool_calls` (`tool`, `id`);
-- Create index "toolcall_error_code_id" to table: "tool_calls"
CREATE INDEX `toolcall_error_code_id` ON `tool_calls` (`error_code`, `id`) WHERE error_code IS NOT NULL;
-- Create index "toolcall_trace_id_id" to table: "tool_calls"
CREATE INDEX `toolcall_trace_id_id` ON `tool_calls` (`trace_id`, `id`) WHERE trace_id IS NOT NULL;
-- Create index "toolcall_id" to table: "tool_calls"
CREATE INDEX `toolcall_id` ON `tool_calls` (`id`, `tool`, `error_code`, `owner`);
-- Create index "toolcall_failure" to table: "tool_calls"
CREATE INDEX `toolcall_failure` ON `tool_calls` (`id`, `tool`, `error_code`, `error_message`) WHERE ok = 0;
-- Create "vault_accesses" table
CREATE TABLE `vault_accesses` (`id` text NOT NULL, `ts` integer NOT NULL, `session_id` text NOT NULL, `session_slug` text NOT NULL, `tool_event_id` text NULL, `entry_name` text NULL, `handle` text NULL, `result` text NOT NULL, `reason` text NULL, `evaluate_enabled` bool NOT NULL, `origin_check` text NOT NULL, `principal_id` text NOT NULL, `page_url` text NULL, `details` json NULL, PRIMARY KEY (`id`));
-- Create index "vaultaccess_session_id_id" to table: "vault_accesses"
CREATE INDEX `vaultaccess_session_id_id` ON `vault_accesses` (`session_id`, `id`);
-- Create index "vaultaccess_result_id" to table: "vault_accesses"
CREATE INDEX `vaultaccess_result_id` ON `vault_accesses` (`result`, `id`);
-- Create index "vaultaccess_entry_name_id" to table: "vault_accesses"
CREATE INDEX `vaultaccess_entry_name_id` ON `vault_accesses` (`entry_name`, `id`);
-- Create index "vaultaccess_principal_id_id" to table: "vault_accesses"
CREATE INDEX `vaultaccess_principal_id_id` ON `vault_accesses` (`principal_id`, `id`);
-- Create "vault_bindings" table
CREATE TABLE `vault_bindings` (`id` text NOT NULL, `item_name` text NOT NULL, `item_id` text NULL, `allowed_origins` json NOT NULL, `authorized_sessions` json NOT NULL, `authorized_principals` json NOT NULL, `dashboard_confirm` bool NOT NULL, `require_no_evaluate` bool NOT NULL, `redact_username` bool NOT NULL, `version` integer NOT NULL DEFAULT (1), `created_at` integer NOT NULL, `updated_at` integer NOT NULL, `updated_by` text NOT NULL, PRIMARY KEY (`id`));
-- Create "vault_policies" table
CREATE TABLE `vault_policies` (`id` text NOT NULL, `mode` text NOT NULL, `authorized_sessions` json NOT NULL, `dashboard_confirm` bool NOT NULL, `require_no_evaluate` bool NOT NULL, `redact_username` bool NOT NULL, `version` integer NOT NULL DEFAULT (1), `updated_at` integer NOT NULL, `updated_by` text NOT NULL, PRIMARY KEY (`id`));
