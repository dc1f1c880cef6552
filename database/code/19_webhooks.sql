create trigger limit_webhooks after insert on app.webhooks
  for each row execute function app.limit_rows_of_account('10', 'webhooks');

-- Into the outbox --

create function app.utc_text(_at timestamptz) returns text
language sql immutable set search_path = ''
return to_char(_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Queues an event for one webhook. Returns its id; null when as many as _max_waiting wait already: it is left out and
-- counted. With the bound of the account.
create function app.queue_for_webhook(_webhook uuid, _type text, _key text, _data json, _max_waiting integer)
returns bigint
language plpgsql volatile security definer set search_path = '' as $$
declare
  owner constant uuid := (select w.user_id from app.webhooks w where w.id = _webhook);
  content constant text :=
    json_build_object('type', _type, 'timestamp', app.utc_text(clock_timestamp()), 'data', _data)::text;
  room constant bigint := app.webhook_room(owner) - octet_length(content);
  queued bigint;
begin
  if room < 0 or exists (select from app.webhook_events e
      where e.webhook_id = _webhook and e.state = 'waiting' offset _max_waiting - 1) then
    -- No change of a person waits for this row.
    update app.webhooks w set dropped = w.dropped + 1, dropped_at = now()
      where w.id in (select l.id from app.webhooks l where l.id = _webhook for no key update skip locked);
    return null;
  end if;
  insert into app.webhook_events (webhook_id, key, type, body) values (_webhook, _key, _type, content)
    returning id into queued;
  perform set_config('hoplet.webhook_room', owner || ' ' || room, true);
  -- Locks the row, so that the sender of the last event of the key sees this one before it ends the queue.
  insert into app.webhook_queues (webhook_id, key) values (_webhook, _key)
    on conflict (webhook_id, key) do update set key = excluded.key;
  return queued;
end $$;

-- Queues an event for each of a person's webhooks that wants it.
create function app.queue_webhook_event(_user uuid, _type text, _key text, _data json,
  _max_waiting integer default 20000) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  wanting uuid;
begin
  for wanting in select w.id from app.webhooks w where w.user_id = _user and w.is_enabled and _type = any (w.events)
    order by w.id loop
    perform app.queue_for_webhook(wanting, _type, _key, _data, _max_waiting);
  end loop;
end $$;

-- The facts of a link in webhooks: all of its columns but counters and internal ones.
create function app.link_facts(_link app.shortened_urls) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(_link)
    - '{user_id,click_count,first_click_at,last_click_at,is_custom,idempotency_key,password,password_hash,
        password_version,charged_at,clicks_before}'::text[]
    || jsonb_build_object('created_at', app.utc_text(_link.created_at), 'archived_at', app.utc_text(_link.archived_at),
      'starts_at', app.utc_text(_link.starts_at), 'ends_at', app.utc_text(_link.ends_at),
      'has_password', _link.password_version is not null, 'short_code', app.name_in(_link.short_code))
$$;

create function app.queue_link_event() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  link app.shortened_urls := case when tg_op = 'DELETE' then old else new end;
  facts jsonb;
begin
  if not exists (select from app.webhooks w where w.user_id = link.user_id and w.is_enabled) then return null; end if;
  facts := app.link_facts(link);
  if tg_op = 'UPDATE' then
    facts := facts || jsonb_build_object('previous', app.link_facts(old) - '{id,created_at}'::text[]);
  end if;
  perform app.queue_webhook_event(link.user_id,
    case tg_op when 'INSERT' then 'link.created' when 'UPDATE' then 'link.updated' else 'link.deleted' end,
    'link ' || link.id, facts::json);
  return null;
end $$;
-- Imports and their undo queue no event per link.
create trigger queue_event after insert or delete on app.shortened_urls
  for each row when (pg_trigger_depth() = 0 and coalesce(current_setting('hoplet.import', true), '') = '')
  execute function app.queue_link_event();
create trigger queue_update_event after update on app.shortened_urls
  for each row when (old.click_count = new.click_count and old.* is distinct from new.*
    and coalesce(current_setting('hoplet.import', true), '') = '')
  execute function app.queue_link_event();

create function app.queue_plan_event() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app.queue_webhook_event(new.user_id, 'plan.changed', 'plan',
    json_build_object('plan', new.plan_type, 'previous', old.plan_type));
  return null;
end $$;
create trigger queue_event after update of plan_type on app.user_plans
  for each row when (old.plan_type is distinct from new.plan_type) execute function app.queue_plan_event();

create function app.may_tell_clicks(_user uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select l.can_view_clicks from app.plan_limits(app.plan_of(_user)) l
$$;

-- Called with the hits that are stored, in their transaction: so each one is queued once, in either store.
create function app.queue_clicks_for_webhooks(_hits app.click_events[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  accounts integer[] := array(
    select s.id from app.click_scopes s where s.kind = 'account'
      and s.ref in (select w.user_id from app.webhooks w where w.is_enabled and 'clicks.recorded' = any (w.events)));
begin
  if cardinality(accounts) = 0 then return; end if;
  insert into app.webhook_clicks (account, scope, counted, repeats, own, bots, first_at, last_at)
    select h.account, h.scope, count(*) filter (where app.is_counted(h.verdict)),
      count(*) filter (where app.is_repeat(h.verdict)), count(*) filter (where app.is_own(h.verdict)),
      count(*) filter (where not app.is_of_person(h.verdict)),
      min(h.at), max(h.at)
    from unnest(_hits) h where h.account = any (accounts) group by 1, 2;
end $$;

-- The same with events of popups. The address itself goes from the visitor straight to the popup's own form.
create function app.queue_popup_emails(_events app.popup_events[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  given record;
begin
  if not exists (select from app.webhooks w where w.is_enabled and 'popup.email_given' = any (w.events)) then
    return;
  end if;
  -- In one order, so that two batches never wait for each other in a circle.
  for given in
    select p.user_id, p.ref as popup, u.title, s.kind, s.ref as surface, e.at,
      app.target_code(s.kind, s.ref) as code
    from unnest(_events) e
      join app.click_scopes p on p.id = e.popup
      left join app.popups u on u.id = p.ref
      left join app.click_scopes s on s.id = e.surface
    where app.is_emailed(e.action) and app.is_of_person(e.verdict)
      and p.user_id in (
        select w.user_id from app.webhooks w where w.is_enabled and 'popup.email_given' = any (w.events))
    order by p.user_id, p.ref, e.at
  loop
    if not app.may_tell_clicks(given.user_id) then continue; end if;
    perform app.queue_webhook_event(given.user_id, 'popup.email_given', 'popup ' || given.popup, json_build_object(
      'popup', json_build_object('id', given.popup, 'title', given.title),
      'shown_on', json_build_object('kind', given.kind, 'id', given.surface, 'code', given.code),
      'at', app.utc_text(given.at)));
  end loop;
end $$;

-- Makes events of the queued hits, for accounts with a last event long enough ago, the longest first: one with many hits
-- keeps no other waiting. One server at a time. Returns how many accounts.
create function app.queue_webhook_clicks(_interval_seconds float8) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  waiting record;
  batch record;
  accounts integer := 0;
  ends_at constant timestamptz := clock_timestamp() + interval '2 seconds';
  max_rows constant integer := 10000;
  max_targets constant integer := 500;
  -- Clicks are left out long before changes are.
  max_waiting constant integer := 1000;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('hoplet.webhook_clicks', 0)) then return 0; end if;
  for waiting in
    select a.account, s.user_id from (select distinct c.account from app.webhook_clicks c) a
      left join app.click_scopes s on s.id = a.account
      cross join lateral (select max(w.clicks_queued_at) as at from app.webhooks w where w.user_id = s.user_id) queued
    where queued.at is null or queued.at <= now() - make_interval(secs => _interval_seconds)
    order by queued.at nulls first limit 500
  loop
    exit when clock_timestamp() > ends_at;
    accounts := accounts + 1;
    for batch in
      with taken as (delete from app.webhook_clicks c where c.id in (select x.id from app.webhook_clicks x
          where x.account = waiting.account order by x.id limit max_rows) returning c.*),
        sums as (
          select t.scope, sum(t.counted) as counted, sum(t.repeats) as repeats, sum(t.own) as own, sum(t.bots) as bots,
            min(t.first_at) as first_at, max(t.last_at) as last_at,
            row_number() over (order by min(t.first_at), t.scope) - 1 as place
          from taken t group by t.scope)
      select app.utc_text(min(m.first_at)) as first_at, app.utc_text(max(m.last_at)) as last_at,
        json_agg(json_build_object('kind', s.kind, 'id', s.ref, 'code', app.target_code(s.kind, s.ref),
          'counted', m.counted, 'repeats', m.repeats, 'own', m.own, 'bots', m.bots,
          'first_at', app.utc_text(m.first_at), 'last_at', app.utc_text(m.last_at)) order by m.place) as targets
      from sums m join app.click_scopes s on s.id = m.scope
      group by m.place / max_targets order by m.place / max_targets
    loop
      -- A plan that shows no clicks tells none.
      if waiting.user_id is null or not app.may_tell_clicks(waiting.user_id) then continue; end if;
      perform app.queue_webhook_event(waiting.user_id, 'clicks.recorded', 'clicks',
        json_build_object('from', batch.first_at, 'to', batch.last_at, 'targets', batch.targets), max_waiting);
    end loop;
    update app.webhooks w set clicks_queued_at = now()
      where w.user_id = waiting.user_id and 'clicks.recorded' = any (w.events);
  end loop;
  return accounts;
end $$;

-- Out of the outbox --

-- Leases the first event of the queue that is due longest. No row: nothing of this webhook is due.
create function app.claim_webhook_event(_webhook uuid, _lease_seconds float8)
returns table (event bigint, lease uuid, message_id text, type text, body text, attempts integer,
  elapsed_seconds float8, url text, secret text, previous_secret text, provider text, list text)
language plpgsql volatile security definer set search_path = '' as $$
declare
  queue record;
  first record;
begin
  loop
    select q.key into queue from app.webhook_queues q join app.webhooks w on w.id = q.webhook_id
      where q.webhook_id = _webhook and q.next_attempt_at <= now() and w.is_enabled
        and coalesce(w.paused_until, '-infinity') <= now()
      order by q.next_attempt_at limit 1 for update of q skip locked;
    if not found then return; end if;
    select e.id into first from app.webhook_events e
      where e.webhook_id = _webhook and e.key = queue.key and e.state = 'waiting' order by e.id limit 1;
    exit when found;
    delete from app.webhook_queues q where q.webhook_id = _webhook and q.key = queue.key;
  end loop;
  return query
    with leased as (
        update app.webhook_queues q set lease = gen_random_uuid(),
          next_attempt_at = now() + make_interval(secs => _lease_seconds)
        where q.webhook_id = _webhook and q.key = queue.key returning q.lease),
      begun as (
        update app.webhook_events e set attempts = e.attempts + 1, last_attempt_at = now(),
          first_attempt_at = coalesce(e.first_attempt_at, now())
        where e.id = first.id returning e.*)
    select b.id, l.lease, b.message_id, b.type, b.body, b.attempts,
      extract(epoch from now() - b.first_attempt_at)::float8, w.url, w.secret,
      case when w.previous_until > now() then w.previous_secret end, w.provider, w.list
    from begun b, leased l, app.webhooks w where w.id = _webhook;
end $$;

-- Switches a webhook off and gives up waiting events. Returns whether it was on.
create function app.disable_webhook(_webhook uuid, _reason text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  update app.webhooks w set is_enabled = false, disabled_reason = _reason, disabled_at = now(), paused_until = null
    where w.id = _webhook and w.is_enabled;
  if not found then return false; end if;
  delete from app.webhook_queues q where q.webhook_id = _webhook;
  update app.webhook_events e set state = 'failed', finished_at = now(),
    error = coalesce(e.error, 'The webhook was switched off before this was sent.')
    where e.webhook_id = _webhook and e.state = 'waiting';
  return true;
end $$;

-- Stores the result of an attempt. _outcome: delivered; retry, after _pause_seconds; given-up, which switches the
-- webhook off when it accepted nothing since the first attempt; gone, which does so in any case. Returns whom to write
-- that it was switched off, if it was.
create function app.finish_webhook_event(_event bigint, _lease uuid, _outcome text, _pause_seconds float8,
  _hold_seconds float8, _status integer, _answer text, _error text, _duration_ms integer)
returns table (user_id uuid, email text, url text)
language plpgsql volatile security definer set search_path = '' as $$
declare
  sent app.webhook_events;
  hook uuid;
begin
  select e.webhook_id into hook from app.webhook_events e where e.id = _event;
  if not found then return; end if;
  -- First the webhook, then its queue: in the order of app.disable_webhook.
  if _outcome = 'delivered' then
    update app.webhooks w set last_success_at = now() where w.id = hook
      and coalesce(w.last_success_at, '-infinity') < now() - interval '1 minute';
  elsif _hold_seconds > 0 then
    update app.webhooks w set paused_until = greatest(w.paused_until, now() + make_interval(secs => _hold_seconds))
      where w.id = hook;
  end if;
  update app.webhook_queues q set lease = null,
      next_attempt_at = now() + make_interval(secs => case when _outcome = 'retry' then _pause_seconds else 0 end)
    where q.webhook_id = hook and q.lease = _lease;
  -- Another process may have taken the event over; that it was delivered is true in any case.
  if not found and _outcome <> 'delivered' then return; end if;
  update app.webhook_events e set status = _status, answer = left(_answer, 1024), error = left(_error, 500),
      duration_ms = _duration_ms,
      state = case _outcome when 'delivered' then 'delivered' when 'retry' then 'waiting' else 'failed' end,
      finished_at = case when _outcome <> 'retry' then now() end
    where e.id = _event and (e.state = 'waiting' or _outcome = 'delivered') returning * into sent;
  if _outcome <> 'retry' then
    delete from app.webhook_queues q where q.webhook_id = hook and q.key = sent.key and q.lease is null
      and not exists (select from app.webhook_events e where e.webhook_id = hook and e.key = q.key
        and e.state = 'waiting');
  end if;
  if _outcome = 'gone' or (_outcome = 'given-up'
      and not exists (select from app.webhooks w where w.id = hook and w.last_success_at >= sent.first_attempt_at)) then
    if app.disable_webhook(hook, case _outcome when 'gone' then 'gone' else 'failing' end) then
      return query select w.user_id, b.email, w.url from app.webhooks w join app.profiles p on p.id = w.user_id
        cross join lateral (select coalesce(p.email, app.space_mailbox(p.id)) as email) b
        where w.id = hook and b.email is not null;
    end if;
  end if;
end $$;

-- Sends an event again, or sooner; null when it is gone or the webhook is off. Its id and body stay, so that a receiver
-- knows it again.
create function app.resend_webhook_event(_event bigint) returns bigint
language plpgsql volatile security definer set search_path = '' as $$
declare
  again app.webhook_events;
begin
  update app.webhook_events e set state = 'waiting', finished_at = null,
      attempts = case e.state when 'waiting' then e.attempts else 0 end,
      first_attempt_at = case e.state when 'waiting' then e.first_attempt_at end
    from app.webhooks w where e.id = _event and w.id = e.webhook_id and w.is_enabled returning e.* into again;
  if not found then return null; end if;
  -- Not while an attempt is under way: its lease ends by itself.
  insert into app.webhook_queues as q (webhook_id, key) values (again.webhook_id, again.key)
    on conflict (webhook_id, key) do update
      set next_attempt_at = case when q.lease is null then now() else q.next_attempt_at end;
  return again.id;
end $$;

-- Bounds in bytes that hold when something is written, and not ten minutes later (docs/data-growth.md).

-- Events of webhooks: 20 MB may wait per account. A transaction adds up the waiting events once, and then those
-- it queues itself; so changes that run at the same moment can pass the bound by their own events.
create function app.webhook_room(_user uuid) returns bigint
language plpgsql stable security definer set search_path = '' as $$
declare
  known text := current_setting('hoplet.webhook_room', true);
begin
  if split_part(known, ' ', 1) = _user::text then return split_part(known, ' ', 2)::bigint; end if;
  return 20000000 - (select coalesce(sum(octet_length(e.body)), 0) from app.webhooks w
    join app.webhook_events e on e.webhook_id = w.id
    where w.user_id = _user and e.state = 'waiting');
end $$;

-- Keeps the newest events of a webhook that are done with.
create function app.trim_webhook_events(_webhook uuid) returns void
language sql volatile security definer set search_path = '' as $$
  delete from app.webhook_events d where d.id in (
    select x.id from (
      select e.id, row_number() over newer as place,
        sum(octet_length(e.body) + coalesce(octet_length(e.answer), 0)) over newer as bytes
      from app.webhook_events e where e.webhook_id = _webhook and e.state <> 'waiting'
      window newer as (order by e.id desc)) x
    where app.is_beyond_kept(x.place, x.bytes))
$$;

grant execute on function
  app.claim_webhook_event(uuid, double precision), app.disable_webhook(uuid, text),
  app.finish_webhook_event(bigint, uuid, text, double precision, double precision, integer, text, text, integer),
  app.queue_for_webhook(uuid, text, text, json, integer), app.queue_webhook_clicks(double precision),
  app.resend_webhook_event(bigint), app.trim_webhook_events(uuid)
  to hoplet_worker;

create policy worker_all on app.webhook_clicks to hoplet_worker using (true) with check (true);
create policy worker_all on app.webhook_events to hoplet_worker using (true) with check (true);
create policy worker_all on app.webhook_queues to hoplet_worker using (true) with check (true);
create policy worker_all on app.webhooks to hoplet_worker using (true) with check (true);
