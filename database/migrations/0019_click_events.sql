-- Every hit with its verdict, and the counts made of it by day and month. server/analytics/ says what the words mean; hits are
-- written by app.store_hits and read by app.count_hits (0020), and by nothing else. Nothing here holds an address.

-- Whose or what a hit is counted for. Hits name it by a short number, so that they stay small.
create table app.click_scopes (
  id integer generated always as identity primary key,
  kind text not null check (kind in ('account', 'link', 'bio', 'bio_link', 'popup')),
  -- The id of the person, link, bio page, link of a bio page or popup. It stays when a link is deleted, for the account's sums.
  ref uuid not null unique,
  user_id uuid not null references auth.users on delete cascade
);
create index click_scopes_of_person on app.click_scopes (user_id);

-- What a hit came with, each distinct combination once. Row 0 is "nothing is known". A row is deleted when the last hit that
-- can name it has gone; used_on is at most a week behind.
create table app.click_clients (
  id integer generated always as identity primary key,
  device text not null, browser text not null, system text not null, language text not null, bot text not null,
  used_on date not null default app.today(),
  unique (device, browser, system, language, bot)
);
create table app.click_places (
  id integer generated always as identity primary key,
  country text not null, region text not null, city text not null,
  used_on date not null default app.today(),
  unique (country, region, city)
);
create table app.click_origins (
  id integer generated always as identity primary key,
  -- Host, and host with path, of the page that the visitor came from.
  referrer text not null, page text not null,
  utm_source text not null, utm_medium text not null, utm_campaign text not null, utm_term text not null, utm_content text not null,
  used_on date not null default app.today(),
  unique (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
);
insert into app.click_clients (id, device, browser, system, language, bot) overriding system value values (0, '', '', '', '', '');
insert into app.click_places (id, country, region, city) overriding system value values (0, '', '', '');
insert into app.click_origins (id, referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
  overriding system value values (0, '', '', '', '', '', '', '');

-- The days on which keyed hashes of visitors are made, a day ahead. Yesterday's key is deleted: no one can tell then whose a
-- hash was (docs/decisions/0080).
create table app.visitor_keys (
  day date primary key,
  key bytea not null check (length(key) = 32)
);

-- The browsers in which people used this server today: their hits on their own links are their own.
create table app.own_visitors (
  id bigint generated always as identity primary key,
  day date not null,
  visitor bigint not null,
  user_id uuid not null references auth.users on delete cascade,
  unique (user_id, day, visitor)
);

-- The old events, whose place the new ones take.
alter table app.click_events rename to old_click_events;
alter index app.click_events_target rename to old_click_events_target;
drop trigger count_click_days on app.old_click_events;
drop function app.count_click_days();

-- Hours since 1970. Indexes by hour keep all hits of an hour under one key, which makes them a fifth of the size. (Written so that
-- it is inlined: extract() from a timestamptz counts as stable.)
create function app.hour_of(at timestamptz) returns integer
language sql immutable parallel safe strict
return floor(date_part('epoch', at - timestamptz '1970-01-01 00:00Z') / 3600)::integer;
-- What decides whether a hit is in a sample. (Not strict, so that it is inlined too: a call for each hit took half as long as storing it.)
create function app.sample_number(visitor bigint, at timestamptz) returns bigint
language sql immutable parallel safe
return case when visitor = 0 then (date_part('epoch', at - timestamptz '1970-01-01 00:00Z') * 1000)::bigint else visitor end;

-- The columns are in the order that wastes no bytes. verdict: counted, repeat, own, head, (p)refetch as f, previewer, (crawler as)
-- bot, monitor; source: link, qr, bio, popup, api; both by their first letter. visitor is 0 where none is known.
create table app.click_events (
  at timestamptz not null,
  visitor bigint not null,
  scope integer not null,
  account integer not null,
  origin integer not null,
  place integer not null,
  client integer not null,
  verdict "char" not null check (verdict in ('c', 'r', 'o', 'h', 'f', 'p', 'b', 'm')),
  source "char" not null check (source in ('l', 'q', 'b', 'p', 'a'))
) partition by range (at);
create index click_events_by_scope on app.click_events (scope, (app.hour_of(at)));
create index click_events_by_account on app.click_events (account, (app.hour_of(at)));
create index click_events_by_time on app.click_events using brin (at) with (pages_per_range = 16, autosummarize = on);
-- What no month has room for: a server whose clock is wrong, or a journal from long ago.
create table app.click_events_other partition of app.click_events default;
-- What reports of large accounts are estimated from: the hits of one visitor in `rate`. Hits without a visitor go by their time.
create table app.click_samples (like app.click_events, rate smallint not null) partition by list (rate);
create table app.click_samples_32 partition of app.click_samples for values in (32);
create table app.click_samples_512 partition of app.click_samples for values in (512);
create index click_samples_by_scope on app.click_samples (scope, (app.hour_of(at)));
create index click_samples_by_account on app.click_samples (account, (app.hour_of(at)));

-- Hits received, by account and UTC day: counted apart from the events, so that both can be compared.
create table app.click_account_days (
  account integer not null,
  day date not null,
  received bigint not null,
  primary key (account, day)
);
create index click_account_days_by_day on app.click_account_days (day);

-- Counts of a day or a month in the account's time zone, one row for each value of each dimension; dimension 'total' has the
-- value ''. A scope without a row 'total' for a day has only events for it: few, or too new.
create table app.click_rollups (
  scope integer not null references app.click_scopes on delete cascade,
  grain "char" not null check (grain in ('d', 'm')),
  dimension text collate "C" not null,
  day date not null,
  value text collate "C" not null,
  counted integer not null,
  repeats integer not null,
  own integer not null,
  bots integer not null,
  visitors integer not null,
  primary key (scope, grain, dimension, day, value)
);

-- Accounts that were deleted, until their hits are; and popups (0021).
create table app.click_erasures (account integer primary key);
-- What happened to the counting, for the integrity card: clocks that were set, journals that were replayed.
create table app.click_incidents (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  kind text not null check (kind in ('clock', 'replay')),
  seconds integer not null
);
create index click_incidents_by_time on app.click_incidents (at);

do $$
declare
  name text;
begin
  foreach name in array '{click_scopes,click_clients,click_places,click_origins,visitor_keys,own_visitors,click_events,click_events_other,click_samples,click_samples_32,click_samples_512,click_account_days,click_rollups,click_erasures,click_incidents}'::text[] loop
    execute format('alter table app.%I enable row level security', name);
    execute format('alter table app.%I force row level security', name);
    execute format('create policy owner_all on app.%I to hoplet_owner using (true) with check (true)', name);
  end loop;
end $$;

-- The time zone of reports. Null: no one has said, so UTC.
alter table app.profiles add column time_zone text check (length(time_zone) <= 64);

-- Makes the partitions of the months from one day to another. Hits that waited in the default partition move. The events of popups
-- (0021) have the same months.
create function app.make_click_months(_from date, _to date) returns void
language plpgsql security definer set search_path = '' as $$
declare
  events text;
  month date;
  name text;
  range text;
begin
  for events, month in
    select e, m::date from unnest('{click_events,popup_events}'::text[]) e, generate_series(date_trunc('month', _from::timestamp), _to::timestamp, interval '1 month') m
    where to_regclass('app.' || e) is not null
  loop
    name := events || '_' || to_char(month, 'YYYY_MM');
    continue when to_regclass('app.' || name) is not null;
    range := format('at >= %L and at < %L', month || ' 00:00Z', (month + interval '1 month')::date || ' 00:00Z');
    execute format('create table app.%I (like app.%I including constraints)', name, events);
    execute format('with moved as (delete from app.%I where %s returning *) insert into app.%I select * from moved', events || '_other', range, name);
    execute format('alter table app.%I enable row level security', name);
    execute format('alter table app.%I force row level security', name);
    execute format('create policy owner_all on app.%I to hoplet_owner using (true) with check (true)', name);
    execute format('alter table app.%I attach partition app.%I for values from (%L) to (%L)',
      events, name, month || ' 00:00Z', (month + interval '1 month')::date || ' 00:00Z');
  end loop;
end $$;

-- What a target's id names, and whose it is.
create function app.click_targets(_refs uuid[]) returns table (ref uuid, kind text, user_id uuid)
language sql stable security definer set search_path = '' as $$
  select l.id, 'link', l.user_id from app.shortened_urls l where l.id = any (_refs)
  union all select b.id, 'bio', b.user_id from app.bio_pages b where b.id = any (_refs)
  union all select i.id, 'bio_link', b.user_id from app.bio_links i join app.bio_pages b on b.id = i.bio_page_id where i.id = any (_refs)
  union all select p.id, 'popup', p.user_id from app.popups p where p.id = any (_refs)
$$;

-- The scopes of targets and of their accounts, made where they are missing. A target that was deleted before its first hit was
-- stored has none.
create function app.click_scopes_of(_refs uuid[]) returns table (ref uuid, kind text, user_id uuid, scope integer, account integer)
language plpgsql volatile security definer set search_path = '' as $$
declare
  missing uuid[] := array(select r from unnest(_refs) r where not exists (select from app.click_scopes s where s.ref = r));
begin
  if missing <> '{}' then
    insert into app.click_scopes (kind, ref, user_id)
      select distinct 'account', t.user_id, t.user_id from app.click_targets(missing) t order by 2 on conflict do nothing;
    insert into app.click_scopes (kind, ref, user_id)
      select t.kind, t.ref, t.user_id from app.click_targets(missing) t order by 2 on conflict do nothing;
  end if;
  return query select s.ref, s.kind, s.user_id, s.id, a.id from app.click_scopes s join app.click_scopes a on a.ref = s.user_id
    where s.ref = any (_refs);
end $$;

-- The same for many targets, given and answered one a line: `scope account kind person`, or nothing.
create function app.click_scope_lines(_refs text) returns text
language sql volatile security definer set search_path = '' as $$
  with refs as materialized (select r::uuid as ref, n from unnest(string_to_array(_refs, e'\n')) with ordinality as u (r, n))
  select string_agg(coalesce(format('%s %s %s %s', s.scope, s.account, s.kind, s.user_id), ''), e'\n' order by r.n)
  from refs r left join app.click_scopes_of(array(select x.ref from refs x)) s on s.ref = r.ref
$$;

-- The numbers of combinations, in the order of the rows, each of which is an array of its texts.
create function app.click_clients_of(_rows jsonb) returns integer[]
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app.click_clients (device, browser, system, language, bot)
    select distinct w.* from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4)) as w (device, browser, system, language, bot)
      where not exists (select from app.click_clients d where d.device = w.device and d.browser = w.browser and d.system = w.system and d.language = w.language and d.bot = w.bot)
      order by 1, 2, 3, 4, 5 on conflict do nothing;
  update app.click_clients d set used_on = app.today()
    from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4)) as w (device, browser, system, language, bot)
    where d.device = w.device and d.browser = w.browser and d.system = w.system and d.language = w.language and d.bot = w.bot and d.used_on < app.today() - 7;
  return (select array_agg(d.id order by r.n) from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4)) as w (device, browser, system, language, bot), app.click_clients d where d.device = w.device and d.browser = w.browser and d.system = w.system and d.language = w.language and d.bot = w.bot);
end $$;
create function app.click_places_of(_rows jsonb) returns integer[]
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app.click_places (country, region, city)
    select distinct w.* from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2)) as w (country, region, city)
      where not exists (select from app.click_places d where d.country = w.country and d.region = w.region and d.city = w.city)
      order by 1, 2, 3 on conflict do nothing;
  update app.click_places d set used_on = app.today()
    from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2)) as w (country, region, city)
    where d.country = w.country and d.region = w.region and d.city = w.city and d.used_on < app.today() - 7;
  return (select array_agg(d.id order by r.n) from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2)) as w (country, region, city), app.click_places d where d.country = w.country and d.region = w.region and d.city = w.city);
end $$;
create function app.click_origins_of(_rows jsonb) returns integer[]
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app.click_origins (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
    select distinct w.* from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, row ->> 5, row ->> 6)) as w (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
      where not exists (select from app.click_origins d where d.referrer = w.referrer and d.page = w.page and d.utm_source = w.utm_source and d.utm_medium = w.utm_medium and d.utm_campaign = w.utm_campaign and d.utm_term = w.utm_term and d.utm_content = w.utm_content)
      order by 1, 2, 3, 4, 5, 6, 7 on conflict do nothing;
  update app.click_origins d set used_on = app.today()
    from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, row ->> 5, row ->> 6)) as w (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
    where d.referrer = w.referrer and d.page = w.page and d.utm_source = w.utm_source and d.utm_medium = w.utm_medium and d.utm_campaign = w.utm_campaign and d.utm_term = w.utm_term and d.utm_content = w.utm_content and d.used_on < app.today() - 7;
  return (select array_agg(d.id order by r.n) from jsonb_array_elements(_rows) with ordinality as r (row, n),
      lateral (values (row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, row ->> 5, row ->> 6)) as w (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content), app.click_origins d where d.referrer = w.referrer and d.page = w.page and d.utm_source = w.utm_source and d.utm_medium = w.utm_medium and d.utm_campaign = w.utm_campaign and d.utm_term = w.utm_term and d.utm_content = w.utm_content);
end $$;

-- The time zone of an account's days.
create function app.click_zone(_account integer) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce((select p.time_zone from app.click_scopes s join app.profiles p on p.id = s.user_id where s.id = _account), 'UTC')
$$;

-- When a day or month of that zone begins.
create function app.local_start(_day date, _zone text) returns timestamptz
language sql stable parallel safe
return _day::timestamp at time zone _zone;

-- What rollups have rows by; 'action' is for popups (0021). A scope with a row 'total' for a day has all of that day.
create function app.rollup_dimensions() returns text[]
language sql immutable parallel safe
return '{weekhour,target,source,verdict,device,browser,system,language,bot,country,region,city,referrer,page,utm_source,utm_medium,utm_campaign,utm_term,utm_content,action,total}'::text[];

-- Takes the days with these times, and their months, out of the rollups, because hits came late.
create function app.forget_rollups(_account integer, _times timestamptz[]) returns void
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
          select d.scope, d.grain, d.day from app.click_rollups d where d.scope = s.id and d.grain = 'd' and d.dimension = 'total' and d.day = any (days)
          union all
          select m.scope, m.grain, m.day from app.click_rollups m where m.scope = s.id and m.grain = 'm' and m.dimension = 'total' and m.day = any (months)) t
      where a.id = _account) x
    where r.scope = x.scope and r.grain = x.grain and r.dimension = any (app.rollup_dimensions()) and r.day = x.day;
end $$;

-- Before hits are stored, given their times in epoch milliseconds and their accounts, one a line: those that are more than an hour
-- late may belong to a day that is in the rollups. Until the transaction ends, app.roll_up waits.
create function app.forget_late_days(_times text, _accounts text) returns void
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
    perform app.forget_rollups(late.account, late.times);
  end loop;
end $$;

-- Stores hits, given as columns with one value a line: time in epoch milliseconds, visitor, scope, account, origin, place, client,
-- verdict, source.
create function app.store_hits(_columns text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.forget_late_days(_columns[1], _columns[4]);
  with hits as materialized (
      select to_timestamp(t::float8 / 1000) as at, v::bigint as visitor, s::integer as scope, a::integer as account,
        o::integer as origin, p::integer as place, c::integer as client, verdict::"char", source::"char"
      from unnest(string_to_array(_columns[1], e'\n'), string_to_array(_columns[2], e'\n'), string_to_array(_columns[3], e'\n'),
        string_to_array(_columns[4], e'\n'), string_to_array(_columns[5], e'\n'), string_to_array(_columns[6], e'\n'),
        string_to_array(_columns[7], e'\n'), string_to_array(_columns[8], e'\n'), string_to_array(_columns[9], e'\n'))
        as h (t, v, s, a, o, p, c, verdict, source)),
    stored as (insert into app.click_events select * from hits),
    sampled as (
      insert into app.click_samples select h.*, r.rate from hits h cross join (values (32::smallint), (512)) r (rate)
      where app.sample_number(h.visitor, h.at) & (r.rate - 1) = 7),
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
  select app.store_hits(array[(extract(epoch from clock_timestamp()) * 1000)::bigint::text, '0', s.scope::text, s.account::text, '0', '0', '0', 'c', 'a'])
  from app.click_scopes_of(array[_target]) s
$$;
create or replace function api.increment_bio_visit(slug text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  page uuid;
begin
  update app.bio_pages p set visit_count = p.visit_count + 1 where p.slug = lower(increment_bio_visit.slug) returning p.id into page;
  if found then perform app.store_api_hit(page); end if;
end $$;
create or replace function api.count_visit(short_code text) returns boolean
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

-- With the account go its scopes, and then, in batches, its hits (retention/app.sql).
create function app.erase_clicks() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into app.click_erasures (account) values (old.id) on conflict do nothing;
  return null;
end $$;
create trigger erase_clicks after delete on app.click_scopes for each row when (old.kind = 'account') execute function app.erase_clicks();

-- Keeps the keys of yesterday, today and tomorrow, and offers new ones for those that are missing; other servers may be quicker.
create function app.keep_visitor_keys(_today bytea, _tomorrow bytea) returns table (day date, key bytea)
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from app.visitor_keys k where k.day < app.today() - 1;
  delete from app.own_visitors o where o.day < app.today() - 1;
  insert into app.visitor_keys values (app.today(), _today), (app.today() + 1, _tomorrow) on conflict do nothing;
  return query select k.day, k.key from app.visitor_keys k;
end $$;

-- The old events move to the new table: their bots are not told apart, and of the browser nothing is known.
select app.make_click_months(coalesce((select min(e.at)::date from app.old_click_events e), app.today()), (app.today() + interval '2 months')::date);
do $$
declare
  targets uuid[] := array(select distinct e.target_id from app.old_click_events e);
begin
  perform app.click_scopes_of(targets);
  insert into app.click_origins (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
    select distinct r.host, r.host || '/', '', '', '', '', ''
    from (select substring(lower(e.referrer) from '^https?://(?:www\.)?([a-z0-9.-]{1,253})') as host from app.old_click_events e) r
    where r.host is not null on conflict do nothing;
  insert into app.click_events
    select e.at, 0, s.id, a.id, coalesce(o.id, 0), 0, 0,
      (case e.verdict when 'counted' then 'c' when 'head' then 'h' when 'prefetch' then 'f' else 'b' end)::"char",
      (case s.kind when 'bio_link' then 'b' else 'l' end)::"char"
    from app.old_click_events e join app.click_scopes s on s.ref = e.target_id join app.click_scopes a on a.ref = s.user_id
      left join app.click_origins o on o.page = substring(lower(e.referrer) from '^https?://(?:www\.)?([a-z0-9.-]{1,253})') || '/'
        and o.utm_source = '';
  insert into app.click_samples select e.*, r.rate from app.click_events e cross join (values (32::smallint), (512)) r (rate)
    where app.sample_number(e.visitor, e.at) & (r.rate - 1) = 7;
  insert into app.click_account_days select e.account, (e.at at time zone 'UTC')::date, count(*) from app.click_events e group by 1, 2;
end $$;
drop table app.old_click_events;

grant execute on function app.click_scope_lines(text), app.click_clients_of(jsonb), app.click_places_of(jsonb), app.click_origins_of(jsonb),
  app.store_hits(text[]), app.keep_visitor_keys(bytea, bytea) to hoplet_visits;
grant select on app.own_visitors, app.click_events, app.click_scopes to hoplet_visits;
grant insert on app.own_visitors, app.click_incidents to hoplet_visits;
create policy visits_all on app.own_visitors to hoplet_visits using (true) with check (true);
create policy visits_read on app.click_events for select to hoplet_visits using (true);
create policy visits_read on app.click_scopes for select to hoplet_visits using (true);
create policy visits_insert on app.click_incidents for insert to hoplet_visits with check (true);
