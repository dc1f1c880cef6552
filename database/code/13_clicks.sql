create function api.increment_bio_visit(slug text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  page uuid;
begin
  update app.bio_pages p set visit_count = p.visit_count + 1 where p.slug = lower(increment_bio_visit.slug)
    returning p.id into page;
  if found then perform app.store_api_hit(page); end if;
end $$;

-- "Count one visit": the meaning here of the specification's public `update click_count plus one`,
-- for any sent number.
create function api.count_visit(short_code text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  link uuid;
begin
  update app.shortened_urls s set click_count = s.click_count + 1,
      first_click_at = case when s.click_count = 0 then now() else s.first_click_at end,
      last_click_at = greatest(s.last_click_at, now())
    where s.short_code = lower(count_visit.short_code) returning s.id into link;
  if link is null then return false; end if;
  perform app.store_api_hit(link);
  return true;
end $$;

-- The short code of a link, or the slug of a bio page.
create function app.target_code(_kind text, _ref uuid) returns text
language sql stable security definer set search_path = '' as $$
  select case _kind when 'link' then (select u.short_code from app.shortened_urls u where u.id = _ref)
    when 'bio' then (select b.slug from app.bio_pages b where b.id = _ref) end
$$;

-- Labels of targets in reports.
create function app.target_label(_kind text, _ref uuid) returns text
language sql stable security definer set search_path = '' as $$
  select case _kind when 'bio_link' then (select i.title from app.bio_links i where i.id = _ref)
    else app.target_code(_kind, _ref) end
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

-- The numbers of combinations, in the order of the rows, each of which is an array of its texts.
create function app.click_clients_of(_rows jsonb) returns integer[]
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app.click_clients (device, browser, system, language, bot)
    select distinct w.* from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4)) as w (device, browser, system, language,
        bot)
      where not exists (select from app.click_clients d where d.device = w.device and d.browser = w.browser
        and d.system = w.system and d.language = w.language and d.bot = w.bot)
      order by 1, 2, 3, 4, 5 on conflict do nothing;
  update app.click_clients d set used_on = app.today()
    from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4)) as w (device, browser, system, language,
        bot)
    where d.device = w.device and d.browser = w.browser and d.system = w.system and d.language = w.language
      and d.bot = w.bot and d.used_on < app.today() - 7;
  return (select array_agg(d.id order by r.n) from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4)) as w (device, browser, system, language,
        bot), app.click_clients d where d.device = w.device and d.browser = w.browser and d.system = w.system
        and d.language = w.language and d.bot = w.bot);
end $$;

create function app.click_places_of(_rows jsonb) returns integer[]
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app.click_places (country, region, city)
    select distinct w.* from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2)) as w (country, region, city)
      where not exists (select from app.click_places d where d.country = w.country and d.region = w.region
        and d.city = w.city)
      order by 1, 2, 3 on conflict do nothing;
  update app.click_places d set used_on = app.today()
    from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2)) as w (country, region, city)
    where d.country = w.country and d.region = w.region and d.city = w.city and d.used_on < app.today() - 7;
  return (select array_agg(d.id order by r.n) from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2)) as w (country, region, city), app.click_places d
        where d.country = w.country and d.region = w.region and d.city = w.city);
end $$;

create function app.click_origins_of(_rows jsonb) returns integer[]
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app.click_origins (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
    select distinct w.* from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, row ->> 5, row ->> 6)) as w (referrer,
        page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
      where not exists (select from app.click_origins d where d.referrer = w.referrer and d.page = w.page
        and d.utm_source = w.utm_source and d.utm_medium = w.utm_medium and d.utm_campaign = w.utm_campaign
        and d.utm_term = w.utm_term and d.utm_content = w.utm_content)
      order by 1, 2, 3, 4, 5, 6, 7 on conflict do nothing;
  update app.click_origins d set used_on = app.today()
    from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, row ->> 5, row ->> 6)) as w (referrer,
        page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
    where d.referrer = w.referrer and d.page = w.page and d.utm_source = w.utm_source and d.utm_medium = w.utm_medium
      and d.utm_campaign = w.utm_campaign and d.utm_term = w.utm_term and d.utm_content = w.utm_content
      and d.used_on < app.today() - 7;
  return (select array_agg(d.id order by r.n) from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, row ->> 5, row ->> 6)) as w (referrer,
        page, utm_source, utm_medium, utm_campaign, utm_term, utm_content), app.click_origins d
        where d.referrer = w.referrer and d.page = w.page and d.utm_source = w.utm_source
        and d.utm_medium = w.utm_medium and d.utm_campaign = w.utm_campaign and d.utm_term = w.utm_term
        and d.utm_content = w.utm_content);
end $$;

-- The time zone of an account's days.
create function app.click_zone(_account integer) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce((select p.time_zone from app.click_scopes s join app.profiles p on p.id = s.user_id
    where s.id = _account), 'UTC')
$$;

-- When a day or month of that zone begins.
create function app.local_start(_day date, _zone text) returns timestamptz
language sql stable parallel safe
return _day::timestamp at time zone _zone;

-- Dimensions of reports (domain/hits.ts).
create function app.click_dimensions() returns text[]
language sql immutable parallel safe
return '{target,source,verdict,device,browser,system,language,bot,country,region,city,referrer,page,utm_source,
  utm_medium,utm_campaign,utm_term,utm_content}'::text[];

-- Dimensions of rollups; 'action' is for popups (0021). A scope with a row 'total' for a day has all of that day.
create function app.rollup_dimensions() returns text[]
language sql immutable parallel safe
return app.click_dimensions() || '{weekhour,action,total}'::text[];

-- Takes the days with these times, and their months, out of the rollups, because hits came late.
create function app.delete_rollups(_account integer, _times timestamptz[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  zone text := app.click_zone(_account);
  days date[] := array(select distinct (t at time zone zone)::date from unnest(_times) t);
  months date[] := array(select distinct date_trunc('month', d)::date from unnest(days) d);
begin
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

-- Before hits are stored, given their times in epoch milliseconds and their accounts, one a line: those that are more
-- than an hour late may belong to a day that is in the rollups. Until the transaction ends, app.roll_up waits.
create function app.delete_late_rollups(_times text, _accounts text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  late record;
begin
  for late in
    select h.account, array_agg(h.at) as times
    from (select a::integer as account, to_timestamp(t::float8 / 1000) as at
      from unnest(string_to_array(_times, e'\n'), string_to_array(_accounts, e'\n')) x (t, a)) h
    where h.at < now() - interval '1 hour' group by 1 order by 1
  loop
    perform pg_advisory_xact_lock_shared(hashtextextended('hoplet.rollups', late.account));
    perform app.delete_rollups(late.account, late.times);
  end loop;
end $$;

-- Stores hits, given as columns with one value a line: time in epoch milliseconds, visitor, scope, account, origin,
-- place, client, verdict, source. To the store that has the hits. Hits and clicks by day are counted here
-- in any case.
create function app.store_hits(_columns text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  store record;
begin
  select * into store from app.into_click_outbox('h', _columns);
  perform app.delete_late_rollups(_columns[1], _columns[4]);
  with hits as materialized (
      select to_timestamp(t::float8 / 1000) as at, v::bigint as visitor, s::integer as scope, a::integer as account,
        o::integer as origin, p::integer as place, c::integer as client, verdict::"char", source::"char"
      from unnest(string_to_array(_columns[1], e'\n'), string_to_array(_columns[2], e'\n'),
        string_to_array(_columns[3], e'\n'),
        string_to_array(_columns[4], e'\n'), string_to_array(_columns[5], e'\n'), string_to_array(_columns[6], e'\n'),
        string_to_array(_columns[7], e'\n'), string_to_array(_columns[8], e'\n'), string_to_array(_columns[9], e'\n'))
        as h (t, v, s, a, o, p, c, verdict, source)),
    stored as (insert into app.click_events select * from hits where store.state <> 'clickhouse'),
    late as (insert into app.late_click_events select h.* from hits h where h.at < store.cut_at),
    sampled as (
      insert into app.click_samples select h.*, r.rate from hits h cross join (values (32::smallint), (512)) r (rate)
      where store.state <> 'clickhouse' and app.sample_number(h.visitor, h.at) & (r.rate - 1) = 7),
    received as (
      insert into app.click_account_days as d (account, day, received)
        select account, (at at time zone 'UTC')::date, count(*) from hits group by 1, 2 order by 1, 2
        on conflict (account, day) do update set received = d.received + excluded.received)
  insert into app.click_days as d (day, slot, clicks)
    select (h.at at time zone 'UTC')::date, pg_backend_pid() % 256, count(*)
    from hits h join app.click_scopes s on s.id = h.scope
    where s.kind = 'link' and h.verdict in ('c', 'r', 'o') group by 1 order by 1
    on conflict (day, slot) do update set clicks = d.clicks + excluded.clicks;
end $$;

-- One hit by the procedures that count a visit: nothing is known of it but when it was.
create function app.store_api_hit(_target uuid) returns void
language sql volatile security definer set search_path = '' as $$
  select app.store_hits(array[(extract(epoch from clock_timestamp()) * 1000)::bigint::text, '0', s.scope::text,
    s.account::text, '0', '0', '0', 'c', 'a'])
  from app.click_scopes_of(array[_target]) s
$$;

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
  app.click_clients_of(jsonb), app.click_origins_of(jsonb), app.click_places_of(jsonb), app.click_scope_lines(text),
  app.keep_visitor_keys(bytea, bytea), app.store_hits(text[])
  to hoplet_visits;
