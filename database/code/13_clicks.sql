create function api.increment_bio_visit(slug text) returns void
language sql volatile security definer set search_path = '' as $$
  select app.apply_api_hit((select p.id from app.bio_pages p where p.slug = app.key_of(increment_bio_visit.slug)))
$$;

-- "Count one visit": the meaning here of the specification's public `update click_count plus one`,
-- for any sent number.
create function api.count_visit(short_code text) returns boolean
language sql volatile security definer set search_path = '' as $$
  select app.apply_api_hit((select s.id from app.shortened_urls s where s.short_code = app.link_code(app.key_of(count_visit.short_code))))
$$;

-- The short code of a link, or the slug of a bio page.
create function app.target_code(_kind text, _ref uuid) returns text
language sql stable security definer set search_path = '' as $$
  select case _kind when 'link' then (select app.shown_name(u.short_code) from app.shortened_urls u where u.id = _ref)
    when 'bio' then (select app.shown_name(b.slug) from app.bio_pages b where b.id = _ref) end
$$;

-- Labels of targets in reports.
create function app.target_label(_kind text, _ref uuid) returns text
language sql stable security definer set search_path = '' as $$
  select case _kind when 'bio_link' then (select i.title from app.bio_links i where i.id = _ref)
    else app.target_code(_kind, _ref) end
$$;

-- Titles of links in reports, beside their codes.
create function app.target_title(_kind text, _ref uuid) returns text
language sql stable security definer set search_path = '' as $$
  select case _kind when 'link' then (select u.title from app.shortened_urls u where u.id = _ref) end
$$;

-- Decides whether a hit is in a sample. (Not strict, so that it is inlined too: a call for each hit took half as
-- long as storing it.)
create function app.sample_number(visitor bigint, at timestamptz) returns bigint
language sql immutable parallel safe
return case when visitor = 0 then (date_part('epoch', at - timestamptz '1970-01-01 00:00Z') * 1000)::bigint
  else visitor end;

-- Kind and account of a target.
create function app.click_targets(_refs uuid[]) returns table (ref uuid, kind text, user_id uuid)
language sql stable security definer set search_path = '' as $$
  select l.id, 'link', l.user_id from app.shortened_urls l where l.id = any (_refs)
  union all select b.id, 'bio', b.user_id from app.bio_pages b where b.id = any (_refs)
  union all select i.id, 'bio_link', b.user_id from app.bio_links i join app.bio_pages b on b.id = i.bio_page_id
    where i.id = any (_refs)
  union all select p.id, 'popup', p.user_id from app.popups p where p.id = any (_refs)
$$;

-- The scopes of targets and of their accounts, made where they are missing. A target that was deleted before its first
-- hit was stored has none.
create function app.click_scopes_of(_refs uuid[]) returns table (ref uuid, kind text, user_id uuid, scope integer,
  account integer)
language plpgsql volatile security definer set search_path = '' as $$
declare
  missing uuid[] := array(select r from unnest(_refs) r
    where not exists (select from app.click_scopes s where s.ref = r));
begin
  if missing <> '{}' then
    insert into app.click_scopes (kind, ref, user_id)
      select distinct 'account', t.user_id, t.user_id from app.click_targets(missing) t order by 2
        on conflict do nothing;
    insert into app.click_scopes (kind, ref, user_id)
      select t.kind, t.ref, t.user_id from app.click_targets(missing) t order by 2 on conflict do nothing;
  end if;
  return query select s.ref, s.kind, s.user_id, s.id, a.id from app.click_scopes s
    join app.click_scopes a on a.ref = s.user_id
    where s.ref = any (_refs);
end $$;

-- The same for many targets, given and answered one a line: `scope account kind person`, or nothing.
create function app.click_scope_lines(_refs text) returns text
language sql volatile security definer set search_path = '' as $$
  with refs as materialized (select r::uuid as ref, n from unnest(string_to_array(_refs,
    e'\n')) with ordinality as u (r, n))
  select string_agg(coalesce(format('%s %s %s %s', s.scope, s.account, s.kind, s.user_id), ''), e'\n' order by r.n)
  from refs r left join app.click_scopes_of(array(select x.ref from refs x)) s on s.ref = r.ref
$$;

-- The numbers of combinations, in the order of the rows, each of which is an array of its texts. New ones are made, and
-- until the transaction ends, others that have the same new one wait.
create function app.click_clients_of(_rows jsonb) returns integer[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  numbers integer[];
begin
  loop
    numbers := array(
      select (select d.id from app.click_clients d where (d.device, d.browser, d.system, d.language, d.bot)
        = (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4))
      from jsonb_array_elements(_rows) row);
    exit when array_position(numbers, null) is null;
    insert into app.click_clients (device, browser, system, language, bot)
      select distinct row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4
      from jsonb_array_elements(_rows) with ordinality r (row, n) where numbers[n] is null
      order by 1, 2, 3, 4, 5 on conflict do nothing;
  end loop;
  update app.click_clients d set used_on = app.today() where d.id in (select u.id from app.click_clients u
    where u.id = any (numbers) and u.used_on < (select app.today() - 7) for no key update skip locked);
  return numbers;
end $$;

create function app.click_places_of(_rows jsonb) returns integer[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  numbers integer[];
begin
  loop
    numbers := array(
      select (select d.id from app.click_places d where (d.country, d.region, d.city)
        = (row ->> 0, row ->> 1, row ->> 2))
      from jsonb_array_elements(_rows) row);
    exit when array_position(numbers, null) is null;
    insert into app.click_places (country, region, city)
      select distinct row ->> 0, row ->> 1, row ->> 2
      from jsonb_array_elements(_rows) with ordinality r (row, n) where numbers[n] is null
      order by 1, 2, 3 on conflict do nothing;
  end loop;
  update app.click_places d set used_on = app.today() where d.id in (select u.id from app.click_places u
    where u.id = any (numbers) and u.used_on < (select app.today() - 7) for no key update skip locked);
  return numbers;
end $$;

create function app.click_origins_of(_rows jsonb) returns integer[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  numbers integer[];
begin
  loop
    numbers := array(
      select (select d.id from app.click_origins d where (d.referrer, d.page, d.utm_source, d.utm_medium, d.utm_campaign,
        d.utm_term, d.utm_content, d.rule, d.variant, d.placement) = (row ->> 0, row ->> 1, row ->> 2, row ->> 3,
        row ->> 4, row ->> 5, row ->> 6, coalesce(row ->> 7, ''), coalesce(row ->> 8, ''), coalesce(row ->> 9, '')))
      from jsonb_array_elements(_rows) row);
    exit when array_position(numbers, null) is null;
    insert into app.click_origins (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content, rule,
        variant, placement)
      -- Release 1.0.0 knows no rules and no placements.
      select distinct row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, row ->> 5, row ->> 6,
        coalesce(row ->> 7, ''), coalesce(row ->> 8, ''), coalesce(row ->> 9, '')
      from jsonb_array_elements(_rows) with ordinality r (row, n) where numbers[n] is null
      order by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 on conflict do nothing;
  end loop;
  update app.click_origins d set used_on = app.today() where d.id in (select u.id from app.click_origins u
    where u.id = any (numbers) and u.used_on < (select app.today() - 7) for no key update skip locked);
  return numbers;
end $$;

-- The time zone of an account's days.
create function app.click_zone(_account integer) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce((select p.time_zone from app.click_scopes s join app.profiles p on p.id = s.user_id
    where s.id = _account), 'UTC')
$$;

-- When a day or month of that zone begins. PostgreSQL takes the later midnight of two (Azores, Havana), but the first
-- one begins the day: it follows the day before.
create function app.local_start(_day date, _zone text) returns timestamptz
language sql stable parallel safe
return least(_day::timestamp at time zone _zone,
  (_day::timestamp - interval '1 microsecond') at time zone _zone + interval '1 microsecond');

-- Dimensions of reports (domain/reports/hits.ts).
create function app.click_dimensions() returns text[]
language sql immutable parallel safe
return '{target,source,verdict,device,browser,system,language,bot,country,region,city,referrer,page,utm_source,
  utm_medium,utm_campaign,utm_term,utm_content,rule,variant,placement}'::text[];

-- Dimensions of rollups; 'action' is for popups (0021). A scope with a row 'total' for a day has all of that day.
create function app.rollup_dimensions() returns text[]
language sql immutable parallel safe
return app.click_dimensions() || '{weekhour,action,total}'::text[];

-- Takes the days with these times, and their months, out of the rollups, because hits came late. Until the transaction
-- ends, app.roll_up waits.
create function app.delete_rollups(_account integer, _times timestamptz[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  zone text := app.click_zone(_account);
  days date[] := array(select distinct (t at time zone zone)::date from unnest(_times) t);
  months date[] := array(select distinct date_trunc('month', d)::date from unnest(days) d);
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('hoplet.rollups', _account));
  -- All parts of the key are given, so that the other days of the scopes are not read.
  delete from app.click_rollups r using (
      select t.scope, t.grain, t.day from app.click_scopes a join app.click_scopes s on s.user_id = a.user_id
        cross join lateral (
          select d.scope, d.grain, d.day from app.click_rollups d where d.scope = s.id and d.grain = 'd'
            and d.dimension = 'total' and d.day = any (days)
          union all
          select m.scope, m.grain, m.day from app.click_rollups m where m.scope = s.id and m.grain = 'm'
            and m.dimension = 'total' and m.day = any (months)) t
      where a.id = _account) x
    where r.scope = x.scope and r.grain = x.grain and r.dimension = any (app.rollup_dimensions()) and r.day = x.day;
end $$;

-- A batch of hits is one rowset: an array of app.click_events. The applier sends it, and app.click_outbox keeps it, as
-- columns of text with one value a line: time in epoch milliseconds, visitor, scope, account, origin, place, client,
-- verdict, source.
create function app.hits_in(_columns text[]) returns setof app.click_events
language sql immutable parallel safe
begin atomic
  select to_timestamp(t::float8 / 1000), v::bigint, s::integer, a::integer, o::integer, p::integer, c::integer,
    verdict::"char", source::"char"
  from unnest(string_to_array(_columns[1], e'\n'), string_to_array(_columns[2], e'\n'),
    string_to_array(_columns[3], e'\n'), string_to_array(_columns[4], e'\n'), string_to_array(_columns[5], e'\n'),
    string_to_array(_columns[6], e'\n'), string_to_array(_columns[7], e'\n'), string_to_array(_columns[8], e'\n'),
    string_to_array(_columns[9], e'\n')) h (t, v, s, a, o, p, c, verdict, source);
end;

-- Adds the hits of people to the counters of their targets. Returns how many it added: those of targets that are gone
-- are none of them. Locks the rows in the order of their ids, so that two servers that count the same targets cannot
-- deadlock.
create function app.add_to_counters(_hits app.click_events[]) returns bigint
language sql volatile security definer set search_path = '' as $$
  with clicks as materialized (
      select s.kind, s.ref, h.n, h.first_at, h.last_at from (
        select u.scope, count(*) as n, min(u.at) as first_at, max(u.at) as last_at
        from unnest(_hits) u where app.is_of_person(u.verdict) group by 1) h join app.click_scopes s on s.id = h.scope),
    links as (
      select t.id, c.n, c.first_at, c.last_at from clicks c join app.shortened_urls t on t.id = c.ref
      where c.kind = 'link' order by t.id for no key update of t),
    clicked_links as (
      update app.shortened_urls t set click_count = t.click_count + l.n,
        first_click_at = case when t.click_count = 0 or l.first_at < t.first_click_at then l.first_at
          else t.first_click_at end,
        last_click_at = greatest(t.last_click_at, l.last_at)
      from links l where t.id = l.id returning l.n),
    pages as (
      select t.id, c.n from clicks c join app.bio_pages t on t.id = c.ref
      where c.kind = 'bio' order by t.id for no key update of t),
    visited_pages as (
      update app.bio_pages t set visit_count = t.visit_count + p.n from pages p where t.id = p.id returning p.n),
    rows as (
      select t.id, c.n from clicks c join app.bio_links t on t.id = c.ref
      where c.kind = 'bio_link' order by t.id for no key update of t),
    clicked_rows as (
      update app.bio_links t set click_count = t.click_count + r.n from rows r where t.id = r.id returning r.n)
  select coalesce(sum(m.n), 0)::bigint
  from (table clicked_links union all table visited_pages union all table clicked_rows) m
$$;

-- Stores hits, in the store that has them. Hits and clicks by day are counted here in any case. Returns them with the accounts that
-- their targets have now: no link moves to another one until the transaction ends.
create function app.keep_hits(_hits app.click_events[]) returns app.click_events[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  store constant app.click_store := app.held_click_store();
begin
  _hits := app.with_present_accounts(_hits);
  if store.state <> 'postgres' then
    insert into app.click_outbox (kind, columns, hits, first_at)
      select 'h', array[string_agg(((date_part('epoch', h.at) * 1000)::bigint)::text, e'\n'),
        string_agg(h.visitor::text, e'\n'), string_agg(h.scope::text, e'\n'), string_agg(h.account::text, e'\n'),
        string_agg(h.origin::text, e'\n'), string_agg(h.place::text, e'\n'), string_agg(h.client::text, e'\n'),
        string_agg(h.verdict::text, e'\n'), string_agg(h.source::text, e'\n')], count(*), min(h.at)
      from unnest(_hits) h;
  end if;
  perform app.delete_rollups(l.account, l.times) from (
    select h.account, array_agg(h.at) as times from unnest(_hits) h
    where h.at < now() - interval '1 hour' group by 1 order by 1) l;
  with hits as materialized (select * from unnest(_hits)),
    stored as (insert into app.click_events select * from hits where store.state <> 'clickhouse'),
    late as (insert into app.late_click_events select h.* from hits h where h.at < store.cut_at),
    sampled as (
      insert into app.click_samples select h.*, r.rate from hits h cross join (values (32::smallint), (512)) r (rate)
      where store.state <> 'clickhouse' and app.sample_number(h.visitor, h.at) & (r.rate - 1) = 7),
    received as (
      insert into app.click_account_days as d (account, day, received, imported)
        select account, (at at time zone 'UTC')::date, count(*), count(*) filter (where app.is_imported(verdict))
          from hits group by 1, 2 order by 1, 2
        on conflict (account, day) do update set received = d.received + excluded.received,
          imported = d.imported + excluded.imported)
  insert into app.click_days as d (day, slot, clicks)
    select c.day, pg_backend_pid() % 256, sum(c.n) from (
      select h.scope, (h.at at time zone 'UTC')::date as day, count(*) as n
      from hits h where app.is_of_person(h.verdict) group by 1, 2) c join app.click_scopes s on s.id = c.scope
    where s.kind = 'link' group by 1 order by 1
    on conflict (day, slot) do update set clicks = d.clicks + excluded.clicks;
  return _hits;
end $$;

-- Counts and stores a batch, and queues it for webhooks. Its origins, places and clients are numbers of the rows given
-- with it, from 1; 0 is nothing known. Returns as app.add_to_counters.
create function app.apply_hits(_columns text[], _origins jsonb, _places jsonb, _clients jsonb) returns bigint
language plpgsql volatile security definer set search_path = '' as $$
declare
  origins constant integer[] := app.click_origins_of(_origins);
  places constant integer[] := app.click_places_of(_places);
  clients constant integer[] := app.click_clients_of(_clients);
  hits app.click_events[] := array(
    select row(h.at, h.visitor, h.scope, h.account, coalesce(origins[h.origin], 0), coalesce(places[h.place], 0),
      coalesce(clients[h.client], 0), h.verdict, h.source)::app.click_events from app.hits_in(_columns) h);
  counted constant bigint := app.add_to_counters(hits);
begin
  hits := app.keep_hits(hits);
  perform app.queue_clicks_for_webhooks(hits);
  return counted;
end $$;

-- One hit by the procedures that count a visit: nothing is known of it but when it was. Returns whether the target
-- exists.
create function app.apply_api_hit(_target uuid) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  hits constant app.click_events[] := array(
    select row(date_trunc('milliseconds', clock_timestamp()), 0, s.scope, s.account, 0, 0, 0, 'c',
      'a')::app.click_events from app.click_scopes_of(array[_target]) s);
begin
  if app.add_to_counters(hits) = 0 then return false; end if;
  perform app.keep_hits(hits);
  return true;
end $$;

-- With the account go its scopes, and then, in batches, its hits (retention/app.sql).
create function app.erase_clicks() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into app.click_erasures (account) values (old.id) on conflict do nothing;
  return null;
end $$;
create trigger erase_clicks after delete on app.click_scopes for each row when (old.kind = 'account')
  execute function app.erase_clicks();

-- Keeps the keys of yesterday, today and tomorrow, and offers new ones for those that are missing; other servers may be
-- quicker.
create function app.keep_visitor_keys(_today bytea, _tomorrow bytea) returns table (day date, key bytea)
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from app.visitor_keys k where k.day < app.today() - 1;
  delete from app.own_visitors o where o.day < app.today() - 1;
  insert into app.visitor_keys values (app.today(), _today), (app.today() + 1, _tomorrow) on conflict do nothing;
  return query select k.day, k.key from app.visitor_keys k;
end $$;

create policy visits_all on app.own_visitors to hoplet_visits using (true) with check (true);
create policy visits_read on app.click_events for select to hoplet_visits using (true);
create policy visits_read on app.click_scopes for select to hoplet_visits using (true);
create policy visits_insert on app.click_incidents for insert to hoplet_visits with check (true);

comment on function api.count_visit(text) is 'Counts one visit of a link.';
comment on function api.increment_bio_visit(text) is 'Counts one visit of a bio page.';

grant execute on function api.count_visit(text), api.increment_bio_visit(text) to anon, authenticated, service_role;
grant execute on function
  app.apply_hits(text[], jsonb, jsonb, jsonb), app.click_scope_lines(text), app.hits_in(text[]),
  app.keep_visitor_keys(bytea, bytea)
  to hoplet_visits;
