-- What the first admin screen and the admins' list of links show: the last 30 days, the newest links and the busiest ones.

-- The visits to links that counted, by day in UTC. Counting them in app.click_events would read every visit of a month. Each
-- connection adds to a row of its own, so that visits do not wait for each other.
create table app.click_days (
  day date not null,
  slot integer not null,
  clicks bigint not null,
  primary key (day, slot)
);
alter table app.click_days enable row level security;
alter table app.click_days force row level security;
create policy owner_all on app.click_days to hoplet_owner using (true) with check (true);

insert into app.click_days (day, slot, clicks)
  select (at at time zone 'UTC')::date, 0, count(*) from app.click_events
  where kind = 'link' and verdict = 'counted' group by 1;

-- Once for each batch of the journal.
create function app.count_click_days() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into app.click_days as d (day, slot, clicks)
    select (a.at at time zone 'UTC')::date, pg_backend_pid() % 256, count(*) from added a
    where a.kind = 'link' and a.verdict = 'counted' group by 1 order by 1
    on conflict (day, slot) do update set clicks = d.clicks + excluded.clicks;
  return null;
end $$;
create trigger count_click_days after insert on app.click_events
  referencing new table as added for each statement execute function app.count_click_days();

-- Led by the day, so that no other query takes it: an owner's links have an index of their own.
create index shortened_urls_by_day on app.shortened_urls
  (((created_at at time zone 'UTC')::date) desc, created_at desc);

-- The last 30 days in UTC, the oldest first: [{day, sign_ups, links, clicks}]. Deleted accounts and links are not in it;
-- the clicks of deleted links are.
create function api.admin_activity() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  first_day date := (now() at time zone 'UTC')::date - 29;
begin
  perform app.require_admin();
  return (
    with days as (select first_day + n as day from generate_series(0, 29) n),
      people as (select (p.created_at at time zone 'UTC')::date as day, count(*) as n from app.profiles p
        where p.created_at >= first_day::timestamp at time zone 'UTC' group by 1),
      made as (select (s.created_at at time zone 'UTC')::date as day, count(*) as n from app.shortened_urls s
        where (s.created_at at time zone 'UTC')::date >= first_day group by 1),
      clicked as (select c.day, sum(c.clicks) as n from app.click_days c where c.day >= first_day group by 1)
    select jsonb_agg(jsonb_build_object('day', d.day, 'sign_ups', coalesce(p.n, 0), 'links', coalesce(m.n, 0),
        'clicks', coalesce(c.n, 0)) order by d.day)
    from days d left join people p using (day) left join made m using (day) left join clicked c using (day));
end $$;

-- The newest links, and those that were clicked most among the last 10,000 visits, with how often (recent_clicks): no index
-- has the order of all clicks (docs/decisions/0034). Rows as in admin_find_links.
create function api.admin_latest_links() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require_admin();
  return (
    with newest as (select s.id, row_number() over (order by s.created_at desc, s.id desc) as place, null::bigint as n from (
        select l.id, l.created_at from app.shortened_urls l
        order by (l.created_at at time zone 'UTC')::date desc, l.created_at desc limit 10) s),
      visits as (select e.target_id, e.kind, e.verdict from app.click_events e order by e.id desc limit 10000),
      -- More than are shown, because some may have been deleted.
      busiest as (select s.id, row_number() over (order by v.n desc, s.id) as place, v.n
        from (select target_id, count(*) as n from visits where kind = 'link' and verdict = 'counted'
          group by 1 order by 2 desc, 1 limit 50) v join app.shortened_urls s on s.id = v.target_id order by v.n desc, s.id limit 10),
      listed as (select 'newest' as list, * from newest union all select 'busiest', * from busiest)
    select jsonb_build_object(
      'newest', coalesce(jsonb_agg(r.line order by r.place) filter (where r.list = 'newest'), '[]'),
      'busiest', coalesce(jsonb_agg(r.line order by r.place) filter (where r.list = 'busiest'), '[]'))
    from (select t.list, t.place, jsonb_build_object('id', l.id, 'short_code', l.short_code, 'original_url', l.original_url,
        'user_id', l.user_id, 'email', p.email, 'created_at', l.created_at, 'click_count', l.click_count,
        'recent_clicks', t.n, 'blocked', app.block_of(l.short_code, l.user_id, l.original_url)) as line
      from listed t join app.shortened_urls l on l.id = t.id left join app.profiles p on p.id = l.user_id) r);
end $$;

grant execute on function api.admin_activity(), api.admin_latest_links() to authenticated, service_role;
