-- Visits to codes that do not exist (server/visits/names/missed-codes.ts), and the codes that accounts once had.

-- Bulk deletions are one statement, and are trimmed once.
create function app.keep_former_codes() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'bio_pages' then
    perform app.add_former_codes(array_agg(g.user_id), array_agg(g.slug)) from gone g;
  else
    perform app.add_former_codes(array_agg(g.user_id), array_agg(g.short_code)) from gone g;
  end if;
  return null;
end $$;

-- The two lists are parallel. A deleted account keeps none.
create function app.add_former_codes(owners uuid[], codes text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app.former_codes as f (user_id, code)
    select distinct u.id, g.code from unnest(owners, codes) g (owner, code) join auth.users u on u.id = g.owner
    on conflict (user_id, code) do update set ended_at = excluded.ended_at;
  delete from app.former_codes f where (f.user_id, f.code) in (
    select x.user_id, x.code from (select distinct o as id from unnest(owners) o) a cross join lateral (
      select k.user_id, k.code from app.former_codes k where k.user_id = a.id
      order by k.ended_at desc, k.code offset 1000 for update skip locked) x);
end $$;

create trigger keep_former_codes after delete on app.shortened_urls
  referencing old table as gone for each statement when (pg_trigger_depth() = 0)
  execute function app.keep_former_codes();
create trigger keep_former_codes after delete on app.bio_pages
  referencing old table as gone for each statement execute function app.keep_former_codes();

create policy worker_all on app.missed_codes to hoplet_worker using (true) with check (true);

-- For the export of the caller's data: [{code, ended_at}], newest first.
create function auth.former_codes() returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('code', app.shown_name(f.code), 'ended_at', f.ended_at) order by f.ended_at desc, f.code),
    '[]') from app.former_codes f where f.user_id = app.current_user_id()
$$;
grant execute on function auth.former_codes() to authenticated;

-- Adds {"code": visits} to the present UTC day and keeps its top 1,000. Codes that an account once had come first, so
-- that a flood of made-up codes cannot push them out; equals are chosen by chance, or a code late in the alphabet would
-- never be kept.
create function app.add_missed_visits(_visits jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  today date := app.today();
begin
  -- One server at a time: a day never has more.
  perform pg_advisory_xact_lock(hashtextextended('hoplet.missed_codes', 0));
  insert into app.missed_codes as m (code, day, visits)
    select v.key, today, v.value::bigint from jsonb_each_text(_visits) v
    on conflict (code, day) do update set visits = m.visits + excluded.visits;
  delete from app.missed_codes m where m.day = today and m.code in (
    select k.code from app.missed_codes k where k.day = today
    order by exists (select from app.former_codes f where f.code = k.code) desc, k.visits desc, random() offset 1000);
end $$;

-- Visits to codes that have no link and no page now, by UTC day: [{code, day, visits, is_free}], of the `_limit` codes
-- with most visits between the two days, those first. People see codes that they once had and could have again, admins
-- all; is_free says whether the caller can make a link with it.
create function api.missed_codes(_from date, _to date, _limit integer default 100) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := app.current_user_id();
  sees_all boolean := app.is_admin_or_service();
begin
  perform app.require_counts();
  if _from is null or _to is null or _from > _to then
    raise exception 'The range is empty or too long' using errcode = '22023';
  end if;
  return (
    with missed as materialized (
        select m.code, m.day, m.visits from app.missed_codes m where sees_all and m.day between _from and _to
        union all
        select m.code, m.day, m.visits from app.former_codes f join app.missed_codes m on m.code = f.code
        where not sees_all and f.user_id = me and m.day between _from and _to),
      codes as (
        select c.code, c.visits, n.name is null or n.released_at < now() - app.name_hold()
          or (n.released_at is not null and n.owner_id is not distinct from me) as is_unused
        from (select m.code, sum(m.visits) as visits from missed m group by 1) c
          left join app.names n on n.name = c.code
        where n.name is null or n.released_at is not null),
      top as (
        select c.code, c.visits, c.is_unused and length(c.code) >= 3 and strpos(c.code, '/') = 0
          and not app.is_reserved_brand(c.code) as is_free
        from codes c where sees_all or c.is_unused
        order by c.visits desc, c.code limit greatest(1, least(coalesce(_limit, 100), 1000)))
    select coalesce(jsonb_agg(jsonb_build_object('code', app.shown_name(m.code), 'day', m.day, 'visits', m.visits,
        'is_free', t.is_free)
      order by t.visits desc, t.code, m.day), '[]')
    from top t join missed m on m.code = t.code);
end $$;

comment on function api.missed_codes(date, date, integer) is
  'Visits to codes of your deleted links and pages, by UTC day; for admins, to all codes that do not exist.';
grant execute on function api.missed_codes(date, date, integer) to authenticated, service_role;
grant execute on function app.add_missed_visits(jsonb) to hoplet_visits;
