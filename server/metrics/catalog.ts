/**
 * Every metric with its text for Prometheus. Names that end in `_total` are counters, which only grow until the process ends; the
 * others are gauges and histograms.
 */
export const catalog = {
  hoplet_http_requests_total:
    'Requests answered, by door and status class. none: refused before a door saw them.',
  hoplet_http_request_duration_seconds:
    'Time until the response began, by door. Visits have a histogram of their own.',
  hoplet_http_connections: 'Open connections of clients.',
  hoplet_http_connections_refused_total:
    'Connections closed because their address had CONNECTIONS_PER_ADDRESS open.',
  hoplet_rate_limit_refusals_total: 'How often a rate limit had nothing left, by its name.',
  hoplet_quota_refusals_total:
    'Links, rows and uploads that a plan or a common limit did not allow.',
  hoplet_password_hashes_waiting: 'Passwords that are being hashed or wait for it.',
  hoplet_data_disk_free_bytes: 'Free space on the disk of DATA_DIR.',
  hoplet_data_disk_size_bytes: 'Size of the disk of DATA_DIR.',
  hoplet_build_info: 'Always 1; the labels say which version runs.',
  hoplet_draining: '1 while draining before shutdown.',
  hoplet_workers: 'Processes that share the port: WORKERS.',
  hoplet_workers_ready: 'Workers that are ready.',
  hoplet_worker_deaths_total: 'Workers that died and were replaced.',
  hoplet_servers: 'Servers of this database that were seen lately.',
  hoplet_server_disagreements:
    'Machines whose servers differ from this one in what must be the same everywhere.',
  hoplet_tls_asks_total:
    'Hosts that a TLS server in front asked for before it got a certificate, by answer.',
  hoplet_visits_total: 'Visits, by what they came to.',
  hoplet_visits_fast_lane_total: 'Visits answered on the bare socket.',
  hoplet_visit_duration_seconds:
    'Time from reading a visit to its response, the click journal included.',
  hoplet_name_cache_entries: 'Names in memory.',
  hoplet_name_cache_bytes: 'Approximate memory of cached names.',
  hoplet_name_cache_hits_total: 'Look-ups of names that memory answered. A visit may look twice.',
  hoplet_name_cache_misses_total: 'Look-ups of names that memory did not hold, or held outdated.',
  hoplet_name_cache_invalidations_total: 'Changes that outdated one name, or all.',
  hoplet_name_lookups_total: 'Queries that looked up names.',
  hoplet_clicks_adopted_total: 'Clicks counted from the journals of servers that are gone.',
  hoplet_clicks_applied_total: 'Clicks added to the database.',
  hoplet_clicks_orphaned_total: 'Clicks on what was deleted meanwhile.',
  hoplet_clicks_corrupt_total: 'Damaged or refused click records.',
  hoplet_clicks_lost_total: 'Visits answered that could not be recorded.',
  hoplet_journal_degraded:
    '1 while the click journal cannot be written and visitors wait for the database.',
  hoplet_journal_bytes: 'Size of the click journal, applied files included.',
  hoplet_journal_reserve_bytes:
    'Written files for clicks on a full disk: those that are there, and those that the disk has no room for.',
  hoplet_journal_segments: 'Files of the click journal.',
  hoplet_journal_waiting_bytes: 'Click records that are not in the database yet.',
  hoplet_journal_waiting_clicks:
    'Clicks that are not in the database yet, counted in the first MiB that waits.',
  hoplet_journal_oldest_waiting_seconds: 'Age of the oldest click that waits; 0 when none does.',
  hoplet_click_stream_taken_over:
    '1 while the journal takes the clicks, because the click stream does not answer.',
  hoplet_click_stream_takeovers_total: 'How often the journal took over from the click stream.',
  hoplet_click_stream_published_total:
    'Messages that the click stream acknowledged before their visits were answered.',
  hoplet_click_stream_waiting_messages:
    'Messages in the click stream that are not in the database yet.',
  hoplet_click_stream_missing_bytes_total:
    'Bytes of clicks that the click stream lost or deleted before they were counted.',
  hoplet_database_up: '1 while the database answers the heartbeat and the look-ups of visits.',
  hoplet_database_listening: '1 while notifications of the database arrive.',
  hoplet_database_heartbeat_seconds:
    'Duration of the last heartbeat, sent every five seconds; absent after a failed one.',
  hoplet_database_clock_skew_seconds:
    "How far the clock of this machine is ahead of the database's.",
  hoplet_database_pool_size: 'The most connections of a pool.',
  hoplet_database_connections: 'Open connections of a pool.',
  hoplet_database_waiting: 'Transactions that wait for a connection.',
  hoplet_database_failures_total:
    'Transactions that failed because the database could not be used.',
  hoplet_database_replica_up:
    '1 while reads go to the replica of DATABASE_READ_URL; absent without one.',
  hoplet_database_replica_lag_seconds:
    'How far the replica is behind the primary; absent while that is not known.',
  hoplet_database_reads_total:
    'Reads that a replica may answer, by how fresh they must be and by who answered.',
  hoplet_database_replica_fallbacks_total:
    'Reads that the primary got because the replica could not have them, by reason.',
  hoplet_database_transaction_seconds:
    'Duration of transactions, the wait for a connection included.',
  hoplet_clickhouse_up: '1 if the last delivery to ClickHouse succeeded.',
  hoplet_clickhouse_hits_total: 'Hits this server delivered to ClickHouse.',
  hoplet_clickhouse_errors_total: 'Deliveries to ClickHouse that failed.',
  hoplet_clickhouse_waiting_hits: 'Hits that are not in ClickHouse yet.',
  hoplet_clickhouse_oldest_waiting_seconds:
    'Age of the oldest hit that waits for ClickHouse; 0 when none does.',
  hoplet_outbox_emails: 'Emails that wait to be sent, or were given up.',
  hoplet_outbox_oldest_waiting_seconds: 'Age of the oldest email that waits; 0 when none does.',
  hoplet_webhook_attempts_total:
    "Attempts of this server to send an event to a person's webhook, by outcome.",
  hoplet_webhook_waiting_events: 'Events that wait for a webhook.',
  hoplet_webhook_oldest_waiting_seconds:
    'Age of the oldest event that waits for a webhook; 0 when none does.',
  hoplet_webhooks_switched_off:
    'Webhooks that were switched off because their receiver failed or is gone.',
  hoplet_emails_total: 'Attempts of this server to send an email, by outcome.',
  hoplet_webhooks_total: 'Payment events received, by outcome.',
  hoplet_payment_calls_total: 'Calls to the payment provider, by outcome.',
  hoplet_ai_calls_total: 'AI generations asked for, by outcome.',
  hoplet_title_fetches_total: 'Pages of new links that were asked for their title, by outcome.',
  hoplet_backup_last_success_timestamp_seconds:
    'When the last backup of the schedule was complete; 0 before the first one, absent without a schedule.',
  hoplet_backup_bytes: 'Size of the last backup of the schedule.',
  hoplet_backup_duration_seconds: 'Duration of that backup.',
  hoplet_backup_failures_total: 'Backups of the schedule that failed on this server.',
  hoplet_metrics_part_read: 'Whether this part of the metrics could be read (1) or is missing (0).',
} as const

export type MetricName = keyof typeof catalog

/** How the values of several processes become one. `first` is the primary's. */
export type Aggregator = 'sum' | 'min' | 'max' | 'first'

/** Where that is another one than the sum of counters and the greatest of gauges. */
export const aggregators: Partial<Record<MetricName, Aggregator>> = {
  hoplet_workers: 'first',
  hoplet_workers_ready: 'first',
  hoplet_worker_deaths_total: 'first',
  // One place counts for all processes, and each of them knows its sums.
  hoplet_clicks_adopted_total: 'max',
  hoplet_clicks_applied_total: 'max',
  hoplet_clicks_orphaned_total: 'max',
  hoplet_clicks_corrupt_total: 'max',
  hoplet_clicks_lost_total: 'max',
  hoplet_click_stream_missing_bytes_total: 'max',
  hoplet_metrics_part_read: 'min',
  hoplet_database_up: 'min',
  hoplet_database_listening: 'min',
  hoplet_database_replica_up: 'min',
  hoplet_http_connections: 'sum',
  hoplet_password_hashes_waiting: 'sum',
  hoplet_name_cache_entries: 'sum',
  hoplet_name_cache_bytes: 'sum',
  hoplet_database_pool_size: 'sum',
  hoplet_database_connections: 'sum',
  hoplet_database_waiting: 'sum',
}
