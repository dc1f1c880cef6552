-- Webhooks (docs/decisions/0064): the endpoints of people, and the outbox of events for them, written in the
-- transaction of the change. server/webhooks/ sends what is here.

create table app.webhooks (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  url text not null check (length(url) between 8 and 2048),
  description text not null default '' check (length(description) <= 200),
  events text[] not null constraint webhooks_events check (cardinality(events) between 1 and 6
    and events <@ '{link.created,link.updated,link.deleted,clicks.recorded,popup.email_given,plan.changed}'),
  is_enabled boolean not null default true,
  -- person: switched off. failing: nothing was accepted for three days. gone: the receiver answered 410.
  disabled_reason text check (disabled_reason in ('person', 'failing', 'gone')),
  disabled_at timestamptz,
  -- Sealed with a key that is not in the database (server/auth/secret-box.ts).
  secret text not null check (length(secret) <= 400),
  -- Signs as well until then: receivers have time to learn the new one.
  previous_secret text check (length(previous_secret) <= 400),
  previous_until timestamptz,
  -- The receiver asked for a pause (Retry-After).
  paused_until timestamptz,
  -- At most a minute behind.
  last_success_at timestamptz,
  -- Events that were left out because too many waited.
  dropped bigint not null default 0,
  dropped_at timestamptz,
  clicks_queued_at timestamptz,
  created_at timestamptz not null default now(),
  constraint webhooks_disabled check (is_enabled = (disabled_reason is null) and is_enabled = (disabled_at is null))
);
create index webhooks_user on app.webhooks (user_id, created_at);
create index webhooks_for_clicks on app.webhooks (user_id) where is_enabled and 'clicks.recorded' = any (events);
create index webhooks_for_popups on app.webhooks (user_id) where is_enabled and 'popup.email_given' = any (events);

-- Each event of each webhook. Of one key, for example one link, they are sent in the order of id, one at a time.
create table app.webhook_events (
  id bigint generated always as identity primary key,
  -- The same for each attempt.
  message_id text not null default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  webhook_id uuid not null references app.webhooks on delete cascade,
  key text not null check (length(key) <= 100),
  type text not null,
  -- As it is signed and sent.
  body text not null,
  created_at timestamptz not null default clock_timestamp(),
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  finished_at timestamptz,
  -- Of the last attempt.
  duration_ms integer,
  status integer,
  answer text check (length(answer) <= 1024),
  error text check (length(error) <= 500)
);
create index webhook_events_waiting on app.webhook_events (webhook_id, key, id) where state = 'waiting';
create index webhook_events_newest on app.webhook_events (webhook_id, id desc);
create index webhook_events_finished on app.webhook_events (finished_at) where state <> 'waiting';

-- One row for each key with waiting events: when the first of them is due. A lease is a due time in the future with a
-- holder.
create table app.webhook_queues (
  webhook_id uuid not null references app.webhooks on delete cascade,
  key text not null,
  next_attempt_at timestamptz not null default now(),
  lease uuid,
  primary key (webhook_id, key)
);
create index webhook_queues_of_webhook on app.webhook_queues (webhook_id, next_attempt_at);
create index webhook_queues_due on app.webhook_queues (next_attempt_at);

-- Hits of accounts that have a webhook for clicks, as batches of the click log brought them, until the next event.
create table app.webhook_clicks (
  id bigint generated always as identity primary key,
  account integer not null,
  scope integer not null,
  counted integer not null,
  repeats integer not null,
  own integer not null,
  bots integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  made_at timestamptz not null default now()
);
create index webhook_clicks_account on app.webhook_clicks (account);
create index webhook_clicks_by_time on app.webhook_clicks (made_at);

alter table app.webhooks enable row level security, force row level security;
create policy owner_all on app.webhooks to hoplet_owner using (true) with check (true);
alter table app.webhook_events enable row level security, force row level security;
create policy owner_all on app.webhook_events to hoplet_owner using (true) with check (true);
alter table app.webhook_queues enable row level security, force row level security;
create policy owner_all on app.webhook_queues to hoplet_owner using (true) with check (true);
alter table app.webhook_clicks enable row level security, force row level security;
create policy owner_all on app.webhook_clicks to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.webhooks, app.webhook_events, app.webhook_queues, app.webhook_clicks
  to hoplet_worker;
