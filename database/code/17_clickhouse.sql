create policy visits_all on app.click_streams to hoplet_visits using (true) with check (true);

-- Storing --

-- Which store has the hits, and that stays so until the transaction ends.
create function app.held_click_store() returns app.click_store
language plpgsql volatile security definer set search_path = '' as $$
declare
  store app.click_store;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('hoplet.click_store', 0));
  select * into store from app.click_store;
  -- Nothing is lost: the log keeps the hits.
  if store.is_full and store.state <> 'postgres' then
    raise exception 'The outbox for ClickHouse is full' using errcode = '53400';
  end if;
  return store;
end $$;

-- The newest visits of the last half hour, by which a repeat is known, from the store that has them. action is null for
-- a visit and the letter of app.popup_events for an action on a popup; scope is the popup's then.
create function app.recent_visits(_rows integer) returns table (visitor bigint, scope integer, action text,
  at double precision)
language plpgsql stable security definer set search_path = '' as $$
begin
  if (select s.state from app.click_store s) <> 'clickhouse' then
    return query
      (select e.visitor, e.scope, null::text, date_part('epoch', e.at) * 1000 from app.click_events e
        where e.at > now() - interval '30 minutes' and e.at < now() + interval '1 minute' and e.verdict in ('c', 'r')
          and e.visitor <> 0
        order by e.at desc limit _rows)
      union all
      (select e.visitor, e.popup, e.action::text, date_part('epoch', e.at) * 1000 from app.popup_events e
        where e.at > now() - interval '30 minutes' and e.at < now() + interval '1 minute' and e.verdict in ('c', 'r')
          and e.visitor <> 0
        order by e.at desc limit _rows);
    return;
  end if;
  return query
    select h.visitor, h.scope, h.action, date_part('epoch', h.at) * 1000
    from (select w.*, sum(w.hits) over (order by w.id desc) - w.hits as newer from app.click_outbox w
      where w.made_at > now() - interval '31 minutes') o
      cross join lateral (
        select v.at, v.visitor, v.scope, null::text as action, v.verdict from app.hits_in(o.columns) v
          where o.kind = 'h'
        union all
        select e.at, e.visitor, e.popup, e.action::text, e.verdict from app.popup_events_in(o.columns) e
          where o.kind = 'p') h
    where o.newer < _rows and h.verdict in ('c', 'r') and h.visitor <> 0
      and h.at > now() - interval '30 minutes' and h.at < now() + interval '1 minute';
end $$;

-- Which store --

-- Facts for the start of a server.
create function app.click_store_facts() returns table (state text, id uuid, has_hits boolean)
language sql stable security definer set search_path = '' as $$
  select s.state, s.id, exists (select from app.click_events) or exists (select from app.popup_events)
    from app.click_store s
$$;

-- Takes the store lock exclusively until the end of the transaction.
create function app.lock_click_store() returns void
language sql volatile set search_path = '' as $$
  select pg_advisory_xact_lock(hashtextextended('hoplet.click_store', 0))
$$;

-- ClickHouse has the hits from now on, of a database that had none yet. Returns the state.
create function app.use_clickhouse() returns text
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.lock_click_store();
  update app.click_store s set state = 'clickhouse'
    where s.state = 'postgres' and not exists (select from app.click_events)
      and not exists (select from app.popup_events);
  return (select s.state from app.click_store s);
end $$;

-- Deliveries --

-- Takes the oldest delivery with an expired lease, or makes one of the oldest rows that are in none, with at most about
-- _max_hits hits. While deliveries are paused, only _repeats are taken.
create function app.lease_click_delivery(_max_hits integer, _seconds integer, _repeats boolean default false)
returns table (number bigint, token text, kind "char", is_repeat boolean)
language plpgsql volatile security definer set search_path = '' as $$
declare
  taken bigint;
  again boolean := true;
  first record;
begin
  -- Servers take turns, so that no two have the same delivery.
  perform pg_advisory_xact_lock(hashtextextended('hoplet.click_outbox', 0));
  if not _repeats and app.is_leased('clicks:pause') then return; end if;
  select o.delivery into taken from app.click_outbox o
    where o.delivery is not null and o.delivered_at is null and o.leased_until < now() order by o.delivery limit 1;
  if taken is null then
    if _repeats then return; end if;
    select o.kind into first from app.click_outbox o where o.delivery is null order by o.id limit 1;
    if not found then return; end if;
    again := false;
    update app.click_store s set last_delivery = s.last_delivery + 1 returning s.last_delivery into taken;
    update app.click_outbox o set delivery = taken where o.id in (
      select w.id from (
        select x.id, sum(x.hits) over (order by x.id) - x.hits as before
        from (select y.id, y.hits from app.click_outbox y where y.delivery is null and y.kind = first.kind order by y.id
          limit 5000) x) w
      where w.before < _max_hits);
  end if;
  update app.click_outbox o set leased_until = now() + make_interval(secs => _seconds) where o.delivery = taken
    and o.delivered_at is null;
  return query select taken, format('%s-%s-%s', s.id, s.generation, taken), o.kind, again
    from app.click_store s, (select x.kind from app.click_outbox x where x.delivery = taken and x.delivered_at is null
      limit 1) o;
end $$;

-- Escapes one TabSeparated field.
create function app.tab_field(_text text) returns text
language sql immutable parallel safe
return replace(replace(replace(replace(_text, '\', '\\'), e'\t', '\t'), e'\n', '\n'), e'\r', '\r');

-- Hits as lines that ClickHouse takes, in the order of its table (server/analytics/clickhouse/schema.ts); null without
-- one.
create function app.hit_lines(_hits app.click_events[], _delivery bigint) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  clients constant jsonb := (
    select jsonb_object_agg(d.id, concat_ws(e'\t', app.tab_field(d.device), app.tab_field(d.browser),
      app.tab_field(d.system), app.tab_field(d.language), app.tab_field(d.bot)))
    from app.click_clients d where d.id in (select h.client from unnest(_hits) h));
  places constant jsonb := (
    select jsonb_object_agg(d.id, concat_ws(e'\t', app.tab_field(d.country), app.tab_field(d.region),
      app.tab_field(d.city)))
    from app.click_places d where d.id in (select h.place from unnest(_hits) h));
  origins constant jsonb := (
    select jsonb_object_agg(d.id, concat_ws(e'\t', app.tab_field(d.referrer), app.tab_field(d.page),
      app.tab_field(d.utm_source), app.tab_field(d.utm_medium), app.tab_field(d.utm_campaign),
      app.tab_field(d.utm_term), app.tab_field(d.utm_content), app.tab_field(d.rule), app.tab_field(d.variant),
      app.tab_field(d.placement)))
    from app.click_origins d where d.id in (select h.origin from unnest(_hits) h));
  verdicts constant jsonb := (
    select jsonb_object_agg(l, app.click_word('verdict', l)) from unnest('{c,r,o,h,f,p,b,m,g,s,v,y,x,i}'::text[]) l);
  sources constant jsonb := (
    select jsonb_object_agg(l, app.click_word('source', l)) from unnest('{l,q,b,p,a}'::text[]) l);
begin
  return (
    select string_agg(concat_ws(e'\t', round(extract(epoch from h.at), 6), h.visitor, h.scope, h.account,
      verdicts ->> h.verdict::text, sources ->> h.source::text,
      -- A deleted combination counts as unknown.
      coalesce(clients ->> h.client::text, e'\t\t\t\t'), coalesce(places ->> h.place::text, e'\t\t'),
      coalesce(origins ->> h.origin::text, e'\t\t\t\t\t\t\t\t\t'), _delivery), e'\n') || e'\n'
    from unnest(_hits) h);
end $$;

-- The same for events of popups.
create function app.popup_event_lines(_events app.popup_events[], _delivery bigint) returns text
language sql stable security definer set search_path = '' as $$
  select string_agg(concat_ws(e'\t', round(extract(epoch from e.at), 6), e.visitor, e.popup, e.surface, e.account,
    app.popup_action(e.action), app.click_word('verdict', e.verdict::text), _delivery), e'\n') || e'\n'
  from unnest(_events) e
$$;

-- The lines of a delivery, without the months (202607) that ClickHouse has already. Null when nothing is left.
create function app.delivery_lines(_delivery bigint, _stored integer[]) returns text
language sql stable security definer set search_path = '' as $$
  with batches as materialized (
      select o.kind, o.columns from app.click_outbox o where o.delivery = _delivery and o.delivered_at is null
        order by o.id)
  select coalesce(
    app.hit_lines(array(select h from batches b cross join lateral app.hits_in(b.columns) h
      where b.kind = 'h' and (_stored = '{}' or to_char(h.at at time zone 'UTC', 'YYYYMM')::integer <> all (_stored))),
      _delivery),
    app.popup_event_lines(array(select e from batches b cross join lateral app.popup_events_in(b.columns) e
      where b.kind = 'p' and (_stored = '{}' or to_char(e.at at time zone 'UTC', 'YYYYMM')::integer <> all (_stored))),
      _delivery))
$$;

create function app.end_click_delivery(_delivery bigint) returns bigint
language sql volatile security definer set search_path = '' as $$
  with done as (update app.click_outbox o set delivered_at = now() where o.delivery = _delivery
    and o.delivered_at is null returning o.hits)
  select coalesce(sum(d.hits), 0)::bigint from done d
$$;

-- Waiting hits.
create function app.click_outbox_state() returns table (hits bigint, oldest_seconds double precision)
language sql stable security definer set search_path = '' as $$
  select coalesce(sum(o.hits), 0)::bigint, coalesce(extract(epoch from now() - min(o.made_at)), 0)::double precision
  from app.click_outbox o where o.delivered_at is null
$$;

-- Deletes rows delivered half an hour ago, and records whether there is room for more. Returns how many rows were
-- deleted.
create function app.tidy_click_outbox(_rows integer) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  deleted integer;
begin
  delete from app.click_outbox o where o.id in (
    select x.id from app.click_outbox x where x.made_at < now() - interval '31 minutes' and x.delivered_at is not null
      order by x.made_at limit _rows);
  get diagnostics deleted = row_count;
  update app.click_store s set is_full = not s.is_full
    where s.is_full <> ((select coalesce(sum(o.hits), 0) from app.click_outbox o
      where o.delivered_at is null) > s.max_waiting);
  return deleted;
end $$;

create function app.last_click_delivery() returns bigint
language sql stable security definer set search_path = '' as $$
  select s.last_delivery from app.click_store s
$$;

-- This database was restored: ClickHouse knew deliveries after _last, which no longer exist there either.
create function app.begin_click_generation(_last bigint) returns void
language sql volatile security definer set search_path = '' as $$
  update app.click_store s set generation = s.generation + 1 where s.last_delivery = _last
$$;

-- Deleting --

create function app.record_clickhouse_deletions(_accounts integer[], _before date[]) returns void
language sql volatile security definer set search_path = '' as $$
  insert into app.clickhouse_deletions as d (account, before)
    select w.account, max(w.before) from unnest(_accounts, _before) w (account, before), app.click_store s
      where s.state <> 'postgres' group by 1 order by 1
    on conflict (account) do update set before = greatest(d.before, excluded.before), made_at = now()
$$;

-- With an account or popup that is gone go its hits in ClickHouse as well.
create function app.erase_in_clickhouse() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app.record_clickhouse_deletions(array[new.account], '{infinity}');
  return null;
end $$;
create trigger erase_in_clickhouse after insert on app.click_erasures for each row
  execute function app.erase_in_clickhouse();

-- app.delete_old_clicks takes a day of an account out when its plan keeps it no longer.
create function app.queue_clickhouse_deletions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app.record_clickhouse_deletions(array_agg(f.account), array_agg(f.day + 1)) from forgotten f
    having count(*) > 0;
  return null;
end $$;
create trigger queue_clickhouse_deletions after delete on app.click_account_days
  referencing old table as forgotten for each statement execute function app.queue_clickhouse_deletions();

-- Deletions that are due: all hits stored before their record have been delivered. Days by plan wait for an
-- hour, so that one statement deletes those of all accounts.
create function app.due_clickhouse_deletions() returns table (before date, accounts integer[])
language sql stable security definer set search_path = '' as $$
  select d.before, array_agg(d.account order by d.account) from (
    select x.account, x.before from app.clickhouse_deletions x
    where x.made_at < now() - case when x.before = 'infinity' then interval '1 minute' else interval '1 hour' end
      and not exists (select from app.click_outbox o where o.delivered_at is null
        and o.made_at <= x.made_at + interval '1 minute')
      -- Hits on their way to an account that is gone go with it when they have arrived.
      and not app.has_move_at_work(x.account)
    order by x.before desc, x.account limit 1000) d
  where not exists (select from app.click_store s where s.state = 'moving') and not app.is_leased('clicks:pause')
  group by 1 order by 1 desc
$$;

create function app.end_clickhouse_deletions(_accounts integer[], _before date) returns void
language sql volatile security definer set search_path = '' as $$
  delete from app.clickhouse_deletions d where d.account = any (_accounts) and d.before <= _before
$$;

create function app.delete_old_clicks(_rows integer, _days jsonb) returns integer
language sql volatile security definer set search_path = '' as $$
  select case when s.state = 'moving' then 0 else app.delete_old_clicks_now(_rows, _days) end from app.click_store s
$$;

-- Among a random stretch of scopes, those without a target and without hits in PostgreSQL.
create function app.unused_click_scopes(_rows integer) returns integer[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  start integer := floor(random() * (select coalesce(max(s.id), 0) from app.click_scopes s));
begin
  return array(select x.id from (select y.id, y.ref from app.click_scopes y where y.id > start and y.kind <> 'account'
    order by y.id limit _rows) x
    where not exists (select from app.click_targets(array[x.ref]))
      and not exists (select from app.click_events e where e.scope = x.id)
      and not exists (select from app.popup_events e where e.popup = x.id)
      -- A hit that waits may name any.
      and not exists (select from app.click_outbox o where o.delivered_at is null));
end $$;

create function app.delete_click_scopes(_scopes integer[]) returns void
language sql volatile security definer set search_path = '' as $$
  delete from app.click_scopes s where s.id = any (_scopes) and not exists (select from app.click_targets(array[s.ref]))
$$;

-- Whether deliveries are under way.
create function app.has_open_deliveries() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.click_outbox o where o.delivery is not null and o.delivered_at is null)
$$;

-- Comparing and moving (npm run move-clicks) --

-- From now on new hits are in the outbox as well; earlier ones have to be copied. Called again, it returns the
-- move in progress.
create function app.begin_click_move() returns table (state text, id uuid, cut_at timestamptz)
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.lock_click_store();
  update app.click_store s set state = 'moving', moved_before = null,
      -- Clock skew can produce hits in the future.
      cut_at = interval '1 microsecond' + greatest(clock_timestamp(),
        (select max(e.at) from app.click_events e where e.at > now() - interval '1 minute'),
        (select max(e.at) from app.popup_events e where e.at > now() - interval '1 minute'))
    where s.state = 'postgres';
  return query select s.state, s.id, s.cut_at from app.click_store s;
end $$;

-- The UTC days that can have hits and are not copied yet, the first one first.
create function app.days_to_move() returns setof date
language sql stable security definer set search_path = '' as $$
  with months as (
      select distinct to_date(right(c.relname, 7), 'YYYY_MM') as month from pg_catalog.pg_inherits i
        join pg_catalog.pg_class c on c.oid = i.inhrelid
      where i.inhparent in ('app.click_events'::regclass, 'app.popup_events'::regclass)
        and c.relname ~ '_[0-9]{4}_[0-9]{2}$'),
    days as (
      select d::date as day from months m cross join generate_series(m.month::timestamp,
        m.month + interval '1 month' - interval '1 day', interval '1 day') d
      union select (e.at at time zone 'UTC')::date from app.click_events_other e
      union select (e.at at time zone 'UTC')::date from app.popup_events_other e)
  select d.day from days d, app.click_store s
  where d.day >= coalesce(s.moved_before, '-infinity') and d.day <= (s.cut_at at time zone 'UTC')::date order by 1
$$;

create function app.record_moved_day(_day date) returns void
language sql volatile security definer set search_path = '' as $$
  update app.click_store s set moved_before = _day + 1 where s.state = 'moving'
$$;

-- How many hits (h) or events of popups (p) PostgreSQL has between two moments.
create function app.count_to_move(_kind "char", _from timestamptz, _to timestamptz) returns bigint
language sql stable security definer set search_path = '' as $$
  select case _kind when 'h' then (select count(*) from app.click_events e where e.at >= _from and e.at < _to)
    else (select count(*) from app.popup_events e where e.at >= _from and e.at < _to) end
$$;

-- Those of them that were stored before the move began, as lines that ClickHouse takes; null without one. Late ones are
-- in the outbox.
create function app.lines_to_move(_kind "char", _from timestamptz, _to timestamptz, _delivery bigint) returns text
language sql stable security definer set search_path = '' as $$
  select case _kind
    when 'h' then app.hit_lines(array(select row(h.*)::app.click_events from (
      select * from app.click_events e where e.at >= _from and e.at < _to
      except all select * from app.late_click_events l where l.at >= _from and l.at < _to) h), _delivery)
    else app.popup_event_lines(array(select row(h.*)::app.popup_events from (
      select * from app.popup_events e where e.at >= _from and e.at < _to
      except all select * from app.late_popup_events l where l.at >= _from and l.at < _to) h), _delivery) end
$$;

-- Accounts and popups with hits that one of the stores is still deleting.
create function app.leaving_clicks() returns integer[]
language sql stable security definer set search_path = '' as $$
  select coalesce(array_agg(x.account), '{}') from (select e.account from app.click_erasures e union select d.account
    from app.clickhouse_deletions d union select i.account from app.clickhouse_import_deletions i) x
$$;

-- Expected contents of ClickHouse when nothing is under way: by kind and UTC day how many, and a hash of the numbers by
-- account and verdict. Hits that wait are not there yet.
create function app.click_digests(_without integer[]) returns table (kind text, day date, n bigint, digest text)
language sql stable security definer set search_path = '' set work_mem = '256MB' as $$
  with changes as (
      select 'h' as kind, (e.at at time zone 'UTC')::date as day, e.account,
        app.click_word('verdict', e.verdict::text) as verdict, count(*) as n
      from app.click_events e group by 1, 2, 3, e.verdict
      union all
      select 'p', (e.at at time zone 'UTC')::date, e.account, app.click_word('verdict', e.verdict::text), count(*)
      from app.popup_events e where e.popup <> all (_without) group by 1, 2, 3, e.verdict
      union all
      select 'h', (h.at at time zone 'UTC')::date, h.account, app.click_word('verdict', h.verdict::text), -count(*)
      from app.click_outbox o cross join lateral app.hits_in(o.columns) h
      where o.kind = 'h' and o.delivered_at is null group by 2, 3, 4
      union all
      select 'p', (e.at at time zone 'UTC')::date, e.account, app.click_word('verdict', e.verdict::text), -count(*)
      from app.click_outbox o cross join lateral app.popup_events_in(o.columns) e
      where o.kind = 'p' and o.delivered_at is null and e.popup <> all (_without) group by 2, 3, 4),
    sums as (
      select c.kind, c.day, c.account, c.verdict, sum(c.n)::bigint as n from changes c where c.account <> all (_without)
        group by 1, 2, 3, 4 having sum(c.n) <> 0)
  select s.kind, s.day, sum(s.n)::bigint, md5(string_agg(s.account || ' ' || s.verdict || ' ' || s.n, ','
    order by s.account, s.verdict collate "C"))
  from sums s group by 1, 2
$$;

-- Both stores have all hits.
create function app.end_click_move() returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.lock_click_store();
  update app.click_store s set state = 'both', cut_at = null, moved_before = null where s.state = 'moving';
  truncate app.late_click_events, app.late_popup_events;
end $$;

-- ClickHouse alone has the hits from now on.
create function app.drop_postgres_clicks() returns void
language plpgsql volatile security definer set search_path = '' set lock_timeout = '30s' as $$
begin
  perform app.lock_click_store();
  update app.click_store s set state = 'clickhouse' where s.state = 'both';
  if not found then raise exception 'The clicks are not in both stores' using errcode = '55000'; end if;
  -- Rollups go with their days.
  truncate app.click_events, app.click_samples, app.popup_events;
end $$;

-- PostgreSQL alone has the hits from now on; it never ceased to store them.
create function app.drop_clickhouse_clicks() returns void
language plpgsql volatile security definer set search_path = '' set lock_timeout = '30s' as $$
begin
  perform app.lock_click_store();
  update app.click_store s set state = 'postgres', id = gen_random_uuid(), generation = 1, last_delivery = 0,
    is_full = false,
      cut_at = null, moved_before = null
    where s.state in ('moving', 'both');
  if not found then raise exception 'PostgreSQL does not have the clicks' using errcode = '55000'; end if;
  truncate app.click_outbox, app.late_click_events, app.late_popup_events, app.clickhouse_deletions,
    app.clickhouse_import_deletions;
end $$;

-- Whether ClickHouse alone has the hits.
create function app.hits_are_in_clickhouse() returns boolean
language sql stable security definer set search_path = '' as $$
  select s.state = 'clickhouse' from app.click_store s
$$;

-- Hits of an account that ClickHouse does not have yet: they are received, and nothing is known of them.
create function app.waiting_hits(_account integer) returns bigint
language sql stable security definer set search_path = '' as $$
  select coalesce(sum(cardinality(array_positions(string_to_array(o.columns[4], e'\n'), _account::text))), 0)
  from app.click_outbox o where o.kind = 'h' and o.delivered_at is null and app.hits_are_in_clickhouse()
$$;

create policy visits_read on app.click_outbox for select to hoplet_visits using (true);

grant execute on function app.hits_are_in_clickhouse() to hoplet_reports, hoplet_visits;
grant execute on function app.recent_visits(integer) to hoplet_visits;
grant execute on function
  app.begin_click_generation(bigint), app.begin_click_move(), app.click_digests(integer[]), app.click_outbox_state(),
  app.click_store_facts(), app.count_to_move("char", timestamptz, timestamptz), app.days_to_move(),
  app.delivery_lines(bigint, integer[]), app.drop_clickhouse_clicks(), app.drop_postgres_clicks(),
  app.due_clickhouse_deletions(), app.end_click_delivery(bigint), app.end_click_move(),
  app.end_clickhouse_deletions(integer[], date), app.delete_click_scopes(integer[]),
  app.delete_old_clicks(integer, jsonb), app.has_open_deliveries(), app.last_click_delivery(),
  app.lease_click_delivery(integer, integer, boolean), app.leaving_clicks(),
  app.lines_to_move("char", timestamptz, timestamptz, bigint), app.record_moved_day(date),
  app.tidy_click_outbox(integer),
  app.unused_click_scopes(integer), app.use_clickhouse()
  to hoplet_worker;
