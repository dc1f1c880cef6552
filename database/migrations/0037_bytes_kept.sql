-- Bounds in bytes that hold when something is written, and not ten minutes later (docs/data-growth.md).

-- Events of webhooks: 20 MB may wait per account. A transaction adds up what waits once, and then what it queues itself; so
-- changes that run at the same moment can pass the bound by what they queue.
create function app.webhook_room(_user uuid) returns bigint
language plpgsql stable security definer set search_path = '' as $$
declare
  known text := current_setting('hoplet.webhook_room', true);
begin
  if split_part(known, ' ', 1) = _user::text then return split_part(known, ' ', 2)::bigint; end if;
  return 20000000 - (select coalesce(sum(octet_length(e.body)), 0) from app.webhooks w join app.webhook_events e on e.webhook_id = w.id
    where w.user_id = _user and e.state = 'waiting');
end $$;

-- As in 0028, with the bound of the account.
create or replace function app.queue_for_webhook(_webhook uuid, _type text, _key text, _data json, _max_waiting integer) returns bigint
language plpgsql volatile security definer set search_path = '' as $$
declare
  owner constant uuid := (select w.user_id from app.webhooks w where w.id = _webhook);
  content constant text := json_build_object('type', _type, 'timestamp', app.utc_text(clock_timestamp()), 'data', _data)::text;
  room constant bigint := app.webhook_room(owner) - octet_length(content);
  queued bigint;
begin
  if room < 0
      or exists (select from app.webhook_events e where e.webhook_id = _webhook and e.state = 'waiting' offset _max_waiting - 1) then
    -- No change of a person waits for this row.
    update app.webhooks w set dropped = w.dropped + 1, dropped_at = now()
      where w.id in (select l.id from app.webhooks l where l.id = _webhook for no key update skip locked);
    return null;
  end if;
  insert into app.webhook_events (webhook_id, key, type, body) values (_webhook, _key, _type, content) returning id into queued;
  perform set_config('hoplet.webhook_room', owner || ' ' || room, true);
  -- Locks the row, so that the sender of the last event of the key sees this one before it ends the queue.
  insert into app.webhook_queues (webhook_id, key) values (_webhook, _key)
    on conflict (webhook_id, key) do update set key = excluded.key;
  return queued;
end $$;

-- Keeps the newest events of a webhook that are done with: 5,000, and 4 MB.
create function app.trim_webhook_events(_webhook uuid) returns void
language sql volatile security definer set search_path = '' as $$
  delete from app.webhook_events d where d.id in (
    select x.id from (
      select e.id, row_number() over newer as place, sum(octet_length(e.body) + coalesce(octet_length(e.answer), 0)) over newer as bytes
      from app.webhook_events e where e.webhook_id = _webhook and e.state <> 'waiting' window newer as (order by e.id desc)) x
    where x.place > 5000 or x.bytes > 4000000)
$$;

grant execute on function app.trim_webhook_events(uuid) to hoplet_worker;

-- Answers to repeated requests: up to 16 kB each, and of a person the newest 5,000 and 4 MB. The word null stands in the place of a
-- longer answer: a repetition then changes nothing either.
create or replace function app.forget_idempotent_requests(_rows integer) returns bigint
language sql volatile security definer set search_path = '' as $$
  with gone as (
    delete from app.idempotent_requests r where (r.user_id, r.key) in (
      select x.user_id, x.key from (
        select i.user_id, i.key, i.made_at, row_number() over newer as place, sum(coalesce(octet_length(i.result), 0)) over newer as bytes
        from app.idempotent_requests i window newer as (partition by i.user_id order by i.made_at desc)) x
      where x.made_at < now() - interval '24 hours' or x.place > 5000 or x.bytes > 4000000 limit _rows)
    returning 1)
  select count(*) from gone
$$;
create or replace function auth.end_idempotent_request(_key text, _result text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
begin
  update app.idempotent_requests r set result = case when octet_length(_result) <= 16384 then _result else 'null' end
    where r.user_id = me and r.key = _key;
  if random() < 0.05 then
    delete from app.idempotent_requests r where r.user_id = me and r.key in (
      select x.key from (
        select i.key, row_number() over newer as place, sum(coalesce(octet_length(i.result), 0)) over newer as bytes
        from app.idempotent_requests i where i.user_id = me window newer as (order by i.made_at desc)) x
      where x.place > 5000 or x.bytes > 4000000);
  end if;
end $$;

-- Requests of apps that no person has decided: the newest 100 of an app and client address. A keyed digest of the address.
alter table auth.oauth_authorizations add column origin text check (length(origin) <= 64);
create index oauth_authorizations_pending on auth.oauth_authorizations (client_id, origin, created_at) where status = 'pending';
-- The newest 100 sessions of an account.
create index sessions_newest on auth.sessions (user_id, refreshed_at desc);
drop index auth.sessions_user_id;
