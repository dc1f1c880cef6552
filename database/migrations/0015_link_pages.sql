-- What the page of one link and the list of links need: when a link was clicked first and last, whether it is blocked,
-- the list in other orders and filtered, and whether a code is free.

-- Written by the update that counts. No index may hold one of them, or the count itself: PostgreSQL then counts a click
-- without touching any index of the row (docs/decisions/0034).
alter table app.shortened_urls add column first_click_at timestamptz, add column last_click_at timestamptz;
grant update (first_click_at, last_click_at) on app.shortened_urls to hoplet_visits;
grant select (first_click_at, last_click_at) on app.shortened_urls to anon;

-- Of the visits that are kept. The first one is known only where none was deleted.
update app.shortened_urls s set last_click_at = v.last_at,
    first_click_at = case when v.clicks >= s.click_count then v.first_at end
  from (select c.target_id, count(*) as clicks, min(c.at) as first_at, max(c.at) as last_at
    from app.click_events c where c.kind = 'link' and c.verdict = 'counted' group by c.target_id) v
  where v.target_id = s.id and s.click_count > 0;

-- A link and its popup are made in one step.
grant insert (show_popup, popup_id) on app.shortened_urls to authenticated;

create index shortened_urls_by_code on app.shortened_urls (user_id, short_code collate "C");
create index shortened_urls_with_popup on app.shortened_urls (user_id, created_at desc, id desc) where show_popup;

grant execute on function app.block_of(text, uuid, text) to service_role;

create or replace view api.shortened_urls with (security_invoker = true) as
  select id, user_id, short_code, original_url, show_popup, popup_id,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then click_count end as click_count,
    created_at,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then first_click_at end as first_click_at,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then last_click_at end as last_click_at,
    -- Whether visitors are told that the link is blocked.
    case when user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role'
      then app.block_of(short_code, user_id, original_url) is not null end as is_blocked
  from app.shortened_urls;

create or replace function api.count_visit(short_code text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  update app.shortened_urls s set click_count = s.click_count + 1,
      first_click_at = case when s.click_count = 0 then now() else s.first_click_at end,
      last_click_at = greatest(s.last_click_at, now())
    where s.short_code = lower(count_visit.short_code);
  return found;
end $$;

-- The caller's links that a block hits: found from the blocks, which are few.
create function app.blocked_links(owner uuid) returns setof uuid
language sql stable security definer set search_path = '' as $$
  select s.id from app.blocks b join app.shortened_urls s on s.short_code = b.value
    where b.kind = 'link' and s.user_id = owner
  union
  select s.id from app.blocks b join app.shortened_urls s
      on app.host_key(s.original_url) collate "C" >= reverse(b.value) || '.'
        and app.host_key(s.original_url) collate "C" < reverse(b.value) || '/'
    where b.kind = 'host' and s.user_id = owner
$$;

-- A page of the caller's links: `_sort` is 'newest', 'oldest', 'code' or 'clicks'; `_search` holds texts, one in each
-- line, of which the code or the destination holds any; `_after` is the last row of the page before, with its id,
-- created_at, short_code and, for 'clicks', click_count.
-- How many rows match, the planner cannot know. So the next 2,000 in the order are looked through first, which fill a
-- page when matches are common; only for rare ones we go on, by the index that fits them. No index has the order of
-- clicks, see above: there all rows of the owner are read.
create function api.list_links(_search text default '', _sort text default 'newest', _with_popup boolean default false,
  _never_clicked boolean default false, _blocked boolean default false, _after jsonb default null,
  _limit integer default 50) returns setof api.shortened_urls
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := app.current_user_id();
  max_rows integer := least(greatest(coalesce(_limit, 50), 1), 1000);
  patterns text[] := array(
    select '%' || regexp_replace(left(line, 200), '([\\%_])', '\\\1', 'g') || '%'
    from unnest(string_to_array(_search, E'\n')) as line where line <> '' limit 5);
  wanted text := concat_ws(' and ', 'true',
    case when patterns <> '{}' then $q$(s.short_code || E'\n' || s.original_url) ilike any ($3)$q$ end,
    case when _with_popup then 's.show_popup' end,
    case when _never_clicked then 's.click_count = 0' end,
    case when _blocked then 's.id in (select app.blocked_links($1))' end);
  place text;
  places text;
  page text;
  edge record;
  found_so_far integer;
begin
  case _sort
    when 'newest' then places := 's.created_at desc, s.id desc'; place := '(s.created_at, s.id) < ($4, $5)';
    when 'oldest' then places := 's.created_at, s.id'; place := '(s.created_at, s.id) > ($4, $5)';
    when 'code' then places := 's.short_code collate "C"'; place := 's.short_code collate "C" > $6';
    when 'clicks' then places := 's.click_count desc, s.created_at desc, s.id desc';
      place := '(s.click_count, s.created_at, s.id) < ($7, $4, $5)';
    else raise invalid_parameter_value using message = 'unknown _sort';
  end case;
  if (_sort = 'clicks' or _never_clicked) and not app.sees_counts() then
    raise insufficient_privilege using message = 'permission denied: this plan does not show click counts';
  end if;
  select r.* into edge from jsonb_to_record(coalesce(_after, '{}'))
    as r (created_at timestamptz, id uuid, short_code text, click_count bigint);
  page := 'select l.* from (%s) s join api.shortened_urls l on l.id = s.id order by ' || places;

  if _sort <> 'clicks' then
    return query execute format(page, format(
      'select s.* from (select s.* from app.shortened_urls s where s.user_id = $1 and %1$s order by %2$s limit 2000) s
        where %3$s order by %2$s limit $2', case when _after is null then 'true' else place end, places, wanted))
      using me, max_rows, patterns, edge.created_at, edge.id, edge.short_code;
    get diagnostics found_so_far = row_count;
    if found_so_far >= max_rows then return; end if;
    execute format('select s.created_at, s.id, s.short_code, s.click_count from app.shortened_urls s
      where s.user_id = $1 and %s order by %s offset 1999 limit 1', case when _after is null then 'true' else place end, places)
      into edge using me, max_rows, patterns, edge.created_at, edge.id, edge.short_code;
    if edge.id is null then return; end if;
    max_rows := max_rows - found_so_far;
  end if;
  return query execute format(page, format(
    'select s.* from app.shortened_urls s where s.user_id = $1 and %s and %s order by %s limit $2',
    case when edge.id is null then 'true' else place end, wanted, places))
    using me, max_rows, patterns, edge.created_at, edge.id, edge.short_code, edge.click_count;
end $$;

-- The first code that the caller could have: the wanted one, or with -2 to -9 behind it; null when there is none. It
-- tells of one free name, as a visit to it does, and costs as much (server/tables/rules.ts).
create function api.free_code(_short_code text) returns text
language sql stable security definer set search_path = '' as $$
  select c.code from (
    select n, case n when 1 then lower(_short_code) else left(lower(_short_code), 48) || '-' || n end as code
    from generate_series(1, 9) n) c
  where c.code ~ '^[a-z0-9_-]{3,50}$' and not app.is_reserved_brand(c.code)
    and not exists (select from app.names t where t.name = c.code and (t.released_at is null
      or (t.owner_id is distinct from app.current_user_id() and t.released_at >= now() - interval '30 days')))
  order by c.n limit 1
$$;

grant execute on function api.list_links(text, text, boolean, boolean, boolean, jsonb, integer), api.free_code(text)
  to authenticated;
