-- Moves of links between accounts (docs/decisions/0088-a-moved-link-takes-its-hits.md): the links at once, their hits in steps.

-- Ids of links as a client gives them.
create function app.asked_links(_links jsonb) returns uuid[]
language plpgsql immutable set search_path = '' as $$
declare
  ids uuid[];
begin
  if jsonb_typeof(coalesce(_links, 'null')) <> 'array' or jsonb_array_length(_links) = 0 then
    raise exception using errcode = '22023', hint = '_links', message = 'Choose the links: a list of their ids.';
  end if;
  if jsonb_array_length(_links) > 10000 then
    raise exception using errcode = '22023', hint = '_links', message = 'At most 10,000 links move at once.';
  end if;
  if exists (select from jsonb_array_elements(_links) l where jsonb_typeof(l) <> 'string'
      or l #>> '{}' !~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$') then
    raise exception using errcode = '22023', hint = '_links', message = 'Each link is given by its id.';
  end if;
  ids := array(select distinct l::uuid from jsonb_array_elements_text(_links) l order by 1);
  return ids;
end $$;

-- The caller may take links out of the account that they act for, and bring them into the other one. A foreign account and one that does
-- not exist get the same answer.
create function app.require_move(_to uuid) returns void
language plpgsql stable security definer set search_path = '' as $$
declare
  person constant uuid := app.person_id();
begin
  if app.claims() ->> 'key_id' is not null then
    raise insufficient_privilege using message = 'permission denied: an API key is good for one account and moves no links';
  end if;
  if app.current_user_id() is null or app.acting_role() is null or app.acting_role() not in ('owner', 'editor') then
    raise insufficient_privilege using message = 'permission denied: viewers move no links';
  end if;
  if _to = app.current_user_id() then
    raise exception using errcode = '22023', hint = '_to_account', message = 'The links are in this account already.';
  end if;
  if _to is null or not (_to = person and exists (select from auth.users u where u.id = person and u.kind = 'person')
      or coalesce(auth.member_role(_to, person) in ('owner', 'editor'), false)) then
    raise exception using errcode = 'P0002', hint = '_to_account',
      message = 'This account does not exist, or you may not write in it.';
  end if;
end $$;

create function app.refuse_foreign_links() returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = 'P0002', hint = '_links', message = 'Some of these links are not in this account any more.';
end $$;

create function app.maker_of(account uuid) returns uuid
language sql stable security definer set search_path = '' as $$
  select coalesce((select s.made_by from app.spaces s where s.id = account), account)
$$;

-- Whether both count against one lifetime limit (app.lifetime_used).
create function app.share_counter(a uuid, b uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select app.has_plans() and app.plan_of(a) = 'free' and app.plan_of(b) = 'free' and app.maker_of(a) = app.maker_of(b)
$$;

-- Places that links take in the totals of their account; of those that visitors know, and of imported ones, which took none.
create function app.places_of(_ids uuid[], out links integer, out codes integer, out visited_links integer,
  out visited_codes integer, out free_links integer, out free_codes integer)
language sql stable security definer set search_path = '' as $$
  select count(*), coalesce(sum(p.codes), 0), count(*) filter (where p.is_visited and not p.is_free),
    coalesce(sum(p.codes) filter (where p.is_visited and not p.is_free), 0) + coalesce(sum(p.aliases) filter (where p.is_visited and p.is_free), 0),
    count(*) filter (where p.is_free), coalesce(sum(p.codes - p.aliases) filter (where p.is_free), 0)
  from (
    select s.click_count > 0 as is_visited, s.charged_at is not distinct from '-infinity' as is_free, a.n as aliases,
      s.is_custom::integer + a.n as codes
    from app.shortened_urls s
      cross join lateral (
        select count(*)::integer as n from app.names n where n.alias_of = s.short_code and n.is_custom) a
    where s.id = any (_ids)) p
$$;

-- Tags of links that an account does not have.
create function app.tags_to_bring(_ids uuid[], _to uuid) returns text[]
language sql stable security definer set search_path = '' as $$
  select array(
    select min(t.tag) from app.shortened_urls s cross join unnest(s.tags) t (tag)
    where s.id = any (_ids) and s.tags <> '{}'
      and not exists (select from app.tags k where k.user_id = _to and lower(k.name) = lower(t.tag))
    group by lower(t.tag) order by lower(t.tag))
$$;

create function app.figure(n bigint) returns text
language sql immutable set search_path = ''
return to_char(greatest(n, 0), 'FM999,999,999');

-- Sentences why these links cannot move now, as [{"hint", "message"}].
create function app.move_refusals(_from uuid, _to uuid, _ids uuid[]) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  limits record;
  used record;
  places record;
  bring constant integer := cardinality(app.tags_to_bring(_ids, _to));
  tag_room constant integer := 200 - (select count(*) from app.tags t where t.user_id = _to);
  link_room bigint;
  code_room bigint;
  found jsonb := '[]';
begin
  select * into places from app.places_of(_ids);
  select * into limits from app.plan_limits(app.plan_of(_to));
  if not app.has_plans() then
    link_room := (select i.links_per_account from app.installation i)
      - coalesce((select u.total_shortened_urls from app.user_usage u where u.user_id = _to), 0);
  elsif limits.limit_type = 'lifetime' and not app.share_counter(_from, _to) then
    select * into used from app.lifetime_used(_to);
    link_room := limits.shortened_urls - used.links;
    code_room := limits.custom_codes - used.custom_codes;
  end if;
  if places.links > link_room then
    found := found || jsonb_build_object('hint', 'target_full', 'message', format(
      'That account has room for %s more links, and these are %s.', app.figure(link_room), app.figure(places.links)));
  end if;
  if places.codes > code_room then
    found := found || jsonb_build_object('hint', 'target_full', 'message', format(
      'That account has room for %s more custom codes, and these links have %s.', app.figure(code_room), app.figure(places.codes)));
  end if;
  if bring > tag_room then
    found := found || jsonb_build_object('hint', 'too_many_tags', 'message', format(
      'That account has room for %s more tags, and these links bring %s.', app.figure(tag_room), app.figure(bring)));
  end if;
  if exists (select from app.link_moves m where m.from_account = _from and m.state = 'arriving') then
    found := found || jsonb_build_object('hint', 'move_at_work',
      'message', 'Links of this account are being moved. Their clicks are on their way; please wait for them.');
  elsif exists (select from app.link_move_links l where l.link_id = any (_ids)) then
    found := found || jsonb_build_object('hint', 'move_at_work',
      'message', 'Clicks of some of these links are still on their way from another account.');
  end if;
  if exists (select from app.imports i where i.user_id = _from and (i.state in ('running', 'waiting') or i.undoes)) then
    found := found || jsonb_build_object('hint', 'import_at_work',
      'message', 'An import of this account is at work. Move links when it has ended.');
  end if;
  if exists (select from app.shortened_urls s where s.id = any (_ids) and strpos(s.short_code, '/') > 0) then
    found := found || jsonb_build_object('hint', 'on_domain',
      'message', 'Links on a domain stay in the account of the domain.');
  end if;
  if (select count(*) from app.link_moves m where m.from_account = _from and m.created_at > now() - interval '1 day') >= 100 then
    found := found || jsonb_build_object('hint', 'too_many_moves',
      'message', 'An account moves links at most 100 times a day.');
  end if;
  return found;
end $$;

-- A count, and the first few names.
create function app.names_of(_names text[]) returns jsonb
language sql immutable set search_path = ''
return jsonb_build_object('count', coalesce(cardinality(_names), 0), 'names', to_jsonb(coalesce(_names[1:10], '{}')));

-- The preview of a move. The server adds the clicks that the other account does not keep (server/spaces/preview-move.ts).
create function api.preview_move(_links jsonb, _to_account uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  ids constant uuid[] := app.asked_links(_links);
  source constant uuid := app.current_user_id();
begin
  perform app.require_move(_to_account);
  if (select count(*) from app.shortened_urls s where s.id = any (ids) and s.user_id = source) <> cardinality(ids) then
    perform app.refuse_foreign_links();
  end if;
  return jsonb_build_object('links', cardinality(ids), 'to_name', app.space_name(_to_account),
    'refusals', app.move_refusals(source, _to_account, ids),
    'popups', app.names_of(array(select app.shown_name(s.short_code) from app.shortened_urls s
      where s.id = any (ids) and s.show_popup order by 1)),
    'shared_reports', app.names_of(array(select app.shown_name(s.short_code) from app.shared_reports r
      join app.shortened_urls s on s.id = r.link_id where s.id = any (ids) order by 1)),
    'bio_entries', app.names_of(array(select b.title from app.bio_pages p join app.bio_links b on b.bio_page_id = p.id
        cross join lateral (select regexp_match(lower(b.url), '^https?://[^/?#]+/(?:q/)?([a-z0-9_-]+)/?(?:[?#].*)?$') as parts) u
      where p.user_id = source and app.is_own_url(b.url)
        and app.link_code(u.parts[1]) in (select s.short_code from app.shortened_urls s where s.id = any (ids)) order by 1)),
    'external_ids', app.names_of(array(select s.external_id from app.shortened_urls s
      join app.shortened_urls t on t.user_id = _to_account and t.external_id = s.external_id
      where s.id = any (ids) order by 1)),
    'new_tags', app.names_of(app.tags_to_bring(ids, _to_account)),
    'question', jsonb_build_object('ids', ids, 'from_plan', app.plan_of(source), 'to_plan', app.plan_of(_to_account)));
end $$;

-- Links of these that were visited before a day.
create function app.links_clicked_before(_ids uuid[], _day date) returns integer
language sql stable security definer set search_path = '' as $$
  select count(*)::integer from app.shortened_urls s
  where s.id = any (_ids) and s.first_click_at < _day::timestamp at time zone 'UTC'
$$;

-- Charges the new account as a deletion would give back to the former one; no daily place of either. Visited links keep their place there
-- for as long as the name of a deleted one is held.
create function app.charge_move(_from uuid, _to uuid, _ids uuid[], out held_links integer, out held_codes integer)
language plpgsql volatile security definer set search_path = '' as $$
declare
  places record;
  is_shared constant boolean := app.share_counter(_from, _to);
begin
  select * into places from app.places_of(_ids);
  held_links := case when is_shared then 0 else places.visited_links end;
  held_codes := case when is_shared then 0 else places.visited_codes end;
  update app.user_usage u set
    total_shortened_urls = greatest(u.total_shortened_urls - (places.links - places.free_links - held_links), 0),
    total_custom_codes = greatest(u.total_custom_codes - (places.codes - places.free_codes - held_codes), 0)
  where u.user_id = _from;
  update app.user_usage u set
    total_shortened_urls = u.total_shortened_urls + places.links - case when is_shared then places.free_links else 0 end,
    total_custom_codes = u.total_custom_codes + places.codes - case when is_shared then places.free_codes else 0 end
  where u.user_id = _to;
end $$;

-- Gives back places of visited links that left a month ago.
create function app.end_held_places() returns integer
language sql volatile security definer set search_path = '' as $$
  with over as materialized (
      select m.id, m.from_account, m.held_links, m.held_codes from app.link_moves m
      where (m.held_links > 0 or m.held_codes > 0) and m.created_at < now() - app.name_hold()
      order by m.from_account limit 1000 for update skip locked),
    ended as (
      update app.link_moves m set held_links = 0, held_codes = 0 from over o where m.id = o.id returning m.id)
  update app.user_usage u set total_shortened_urls = greatest(u.total_shortened_urls - g.links, 0),
    total_custom_codes = greatest(u.total_custom_codes - g.codes, 0)
  from (select o.from_account, sum(o.held_links)::integer as links, sum(o.held_codes)::integer as codes
    from over o group by 1) g where u.user_id = g.from_account and (select count(*) from ended) > 0 returning 0
$$;

-- Moves the rows that belong to the links and name their account.
create function app.move_parts_of_links(_from uuid, _to uuid, _ids uuid[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update app.names n set owner_id = _to from app.shortened_urls s
    where s.id = any (_ids) and (n.name = s.short_code or n.alias_of = s.short_code);
  insert into app.tags (user_id, name, color)
    select _to, t.name, t.color from app.tags t
    where t.user_id = _from and lower(t.name) in (select lower(b) from unnest(app.tags_to_bring(_ids, _to)) b)
    order by lower(t.name)
    on conflict do nothing;
  delete from app.shared_reports r where r.link_id = any (_ids);
  update app.placements p set user_id = _to where p.link_id = any (_ids);
  insert into app.destination_checks as k (user_id, address_hash, checked_at, finding, reason, since, new_url)
    select distinct on (c.address_hash) _to, c.address_hash, c.checked_at, c.finding, c.reason, c.since, c.new_url
    from app.destination_checks c where c.user_id = _from and c.address_hash in (
      select app.address_hash(s.original_url) from app.shortened_urls s where s.id = any (_ids))
    order by c.address_hash
    on conflict (user_id, address_hash) do nothing;
  insert into app.link_history (link_id, changed_by, from_url, moved_from, moved_to)
    select s.id, app.person_id(), s.original_url, _from, _to from app.shortened_urls s where s.id = any (_ids) order by s.id;
  delete from app.link_history h using (
      select i.id, (select k.id from app.link_history k where k.link_id = i.id order by k.id desc offset 50 limit 1) as last
      from unnest(_ids) i (id)) x
    where h.link_id = x.id and h.id <= x.last;
end $$;

-- From here on hits of the links are stored for the new account (app.keep_hits): writers wait for the end of the transaction. Returns how
-- many links have earlier ones.
create function app.begin_move_of_hits(_move uuid, _from uuid, _to uuid, _ids uuid[]) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  n integer;
begin
  perform app.lock_click_store();
  insert into app.link_move_links (move_id, place, link_id, scope)
    select _move, row_number() over (order by s.id), s.ref, s.id from app.click_scopes s where s.ref = any (_ids);
  get diagnostics n = row_count;
  -- Also of the others, so that no writer who read their owner before makes one.
  perform app.click_scopes_of(_ids);
  update app.click_scopes s set user_id = _to where s.ref = any (_ids);
  return n;
end $$;

-- The number of an account in hits.
create function app.account_scope(_account uuid) returns integer
language sql volatile security definer set search_path = '' as $$
  insert into app.click_scopes (kind, ref, user_id) values ('account', _account, _account) on conflict do nothing;
  select s.id from app.click_scopes s where s.ref = _account
$$;

create function app.move_facts(_move app.link_moves) returns jsonb
language sql immutable set search_path = ''
return jsonb_build_object('id', _move.id, 'from_account', _move.from_account, 'to_account', _move.to_account,
  'links', _move.links, 'state', _move.state, 'hits', _move.hits, 'created_at', _move.created_at,
  'finished_at', _move.finished_at);

create function api.move_links(_links jsonb, _to_account uuid) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  ids constant uuid[] := app.asked_links(_links);
  source constant uuid := app.current_user_id();
  refusal jsonb;
  held record;
  move app.link_moves;
begin
  perform app.require_move(_to_account);
  perform app.lock_usage(least(source, _to_account));
  perform app.lock_usage(greatest(source, _to_account));
  perform 1 from app.shortened_urls s where s.id = any (ids) and s.user_id = source order by s.id for update;
  -- Asked again in a later statement: one that waited for the lock may have found another owner.
  if (select count(*) from app.shortened_urls s where s.id = any (ids) and s.user_id = source) <> cardinality(ids) then
    perform app.refuse_foreign_links();
  end if;
  refusal := app.move_refusals(source, _to_account, ids) -> 0;
  if refusal is not null then
    raise exception using errcode = 'P0001', hint = refusal ->> 'hint', message = refusal ->> 'message';
  end if;
  -- No event of a webhook and no line of an app for each link.
  perform set_config('hoplet.import', 'move', true);
  select * into held from app.charge_move(source, _to_account, ids);
  perform app.move_parts_of_links(source, _to_account, ids);
  update app.shortened_urls s set user_id = _to_account, show_popup = false, popup_id = null, idempotency_key = null,
      -- Charged, but on no day that a daily limit counts.
      charged_at = case when s.charged_at = '-infinity' and app.share_counter(source, _to_account) then s.charged_at else 'epoch' end,
      external_id = case when not exists (select from app.shortened_urls t
        where t.user_id = _to_account and t.external_id = s.external_id) then s.external_id end,
      tags = s.tags
    where s.id = any (ids);
  perform set_config('hoplet.import', '', true);
  if app.claims() ->> 'client_id' is not null then
    perform app.record_app_change(a, 'changed', 'link', ids[1], format('%s links moved', cardinality(ids)))
      from unnest(array[source, _to_account]) a;
  end if;
  insert into app.link_moves (from_account, to_account, from_scope, to_scope, made_by, links, held_links, held_codes)
    values (source, _to_account, app.account_scope(source), app.account_scope(_to_account), app.person_id(), cardinality(ids),
      held.held_links, held.held_codes)
    returning * into move;
  if app.begin_move_of_hits(move.id, source, _to_account, ids) = 0 then
    update app.link_moves m set state = 'done', finished_at = now() where m.id = move.id returning * into move;
  end if;
  delete from app.link_moves m where m.state = 'done' and m.held_links = 0 and m.held_codes = 0 and m.id in (
    select o.id from app.link_moves o where o.from_account = source order by o.created_at desc, o.id desc offset 100);
  return app.move_facts(move);
end $$;

-- Hits --

-- The hits of a batch with the accounts that their targets have now: a writer may remember another one. Only moves of the last
-- day can matter.
create function app.with_present_accounts(_hits app.click_events[]) returns app.click_events[]
language plpgsql stable security definer set search_path = '' as $$
begin
  if not exists (select from app.link_moves m where m.created_at > now() - interval '1 day') then return _hits; end if;
  return array(select row(h.at, h.visitor, h.scope, coalesce(a.id, h.account), h.origin, h.place, h.client, h.verdict,
      h.source)::app.click_events
    from unnest(_hits) with ordinality as h (at, visitor, scope, account, origin, place, client, verdict, source, n)
      left join app.click_scopes s on s.id = h.scope left join app.click_scopes a on a.ref = s.user_id
    order by h.n);
end $$;

-- Whether hits of the account are on their way from or to another one.
create function app.has_move_at_work(_account integer) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.link_moves m where m.state = 'arriving' and _account in (m.from_scope, m.to_scope))
$$;

-- The number of the last move: with a new one, owners of links that are remembered have to be read again.
create function app.last_link_move() returns bigint
language sql stable security definer set search_path = '' as $$
  select coalesce(max(m.number), 0) from app.link_moves m
$$;

create function app.open_link_moves() returns setof uuid
language sql stable security definer set search_path = '' as $$
  select m.id from app.link_moves m where m.state = 'arriving' order by m.number
$$;

-- Moves counts of hits by link and UTC day (in `account` the scope of the link) to the new account, and takes the rolled up days and months
-- of both that hits with these times touch.
create function app.settle_moved_hits(_move app.link_moves, _days app.click_account_days[], _times timestamptz[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  one integer;
  zone text;
  days date[];
begin
  for one in select a from unnest(array[_move.from_scope, _move.to_scope]) a order by 1 loop
    if one = _move.to_scope then
      insert into app.click_account_days as d (account, day, received, imported)
        select one, x.day, sum(x.received), sum(x.imported) from unnest(_days) x group by 2 order by 2
        on conflict (account, day) do update set received = d.received + excluded.received,
          imported = d.imported + excluded.imported;
    else
      -- A row without hits stays until its plan lets it go: its deletion would be one in ClickHouse.
      update app.click_account_days d set received = greatest(0, d.received - x.received),
        imported = greatest(0, d.imported - x.imported)
      from (select y.day, sum(y.received) as received, sum(y.imported) as imported from unnest(_days) y group by 1) x
      where d.account = one and d.day = x.day;
    end if;
    zone := app.click_zone(one);
    days := array(select distinct (t at time zone zone)::date from unnest(_times) t);
    delete from app.click_rollups r where r.scope = one and r.dimension = any (app.rollup_dimensions())
      and (r.grain = 'd' and r.day = any (days)
        or r.grain = 'm' and r.day = any (array(select distinct date_trunc('month', d)::date from unnest(days) d)));
  end loop;
  if exists (select from unnest(_days) x where x.imported > 0) then
    -- The undo of an import takes back only hits that are still there.
    update app.import_hit_days d set hits = greatest(0, d.hits - x.imported)
    from (select r.import_id, y.day, sum(y.imported) as imported
        from unnest(_days) y join app.click_scopes s on s.id = y.account
          join app.imports i on i.user_id = _move.from_account
          join app.import_rows r on r.import_id = i.id and r.link_id = s.ref and r.result = 'made'
        where y.imported > 0 group by 1, 2) x
    where d.import_id = x.import_id and d.day = x.day;
  end if;
  update app.link_moves m set hits = m.hits + coalesce((select sum(x.received) from unnest(_days) x), 0) where m.id = _move.id;
end $$;

create function app.end_move_if_done(_move uuid) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  if exists (select from app.link_move_links l where l.move_id = _move) then return false; end if;
  update app.link_moves m set state = 'done', finished_at = now() where m.id = _move;
  return true;
end $$;

-- Moves up to about _rows hits in PostgreSQL. Returns 'more' or 'done'; 'clickhouse' when that has them; null when another step is at work
-- or hits move between the stores.
create function app.move_hits(_move uuid, _rows integer) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  store constant app.click_store := app.held_click_store();
  zero constant timestamptz := '1970-01-01 00:00Z';
  job app.link_moves;
  item app.link_move_links;
  room integer := _rows;
  n bigint;
  first timestamptz;
  next timestamptz;
  hour integer;
  these app.click_account_days[];
  days app.click_account_days[] := '{}';
  these_times timestamptz[];
  times timestamptz[] := '{}';
begin
  select * into job from app.link_moves m where m.id = _move and m.state = 'arriving' for update skip locked;
  if not found then return null; end if;
  if store.state <> 'postgres' then return case store.state when 'clickhouse' then 'clickhouse' end; end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('hoplet.rollups', a))
    from unnest(array[job.from_scope, job.to_scope]) a order by a;
  for item in select * from app.link_move_links l where l.move_id = _move order by l.place limit 500 loop
    exit when room <= 0;
    if item.from_at is null then
      -- In the days of another time zone, perhaps.
      delete from app.click_rollups r where r.scope = item.scope;
    end if;
    first := coalesce(item.from_at, zero + interval '1 hour' * (
      select app.hour_of(e.at) from app.click_events e where e.scope = item.scope and e.account = job.from_scope
      order by app.hour_of(e.at) limit 1));
    n := 0;
    next := null;
    if first is not null then
      hour := (select app.hour_of(e.at) from app.click_events e where e.scope = item.scope and e.account = job.from_scope
        and app.hour_of(e.at) >= app.hour_of(first) and e.at >= first order by app.hour_of(e.at) offset room limit 1);
      if hour > app.hour_of(first) then
        next := zero + interval '1 hour' * hour;
      elsif hour is not null then
        next := (select e.at from app.click_events e where e.scope = item.scope and e.account = job.from_scope
          and app.hour_of(e.at) = hour and e.at >= first order by e.at offset room limit 1);
        -- More at one moment than a step has.
        if next = first then next := first + interval '1 microsecond'; end if;
      end if;
      with moved as (
          update app.click_events e set account = job.to_scope
          where e.scope = item.scope and e.account = job.from_scope and app.hour_of(e.at) >= app.hour_of(first)
            and app.hour_of(e.at) <= coalesce(app.hour_of(next), 2147483647) and e.at >= first
            and e.at < coalesce(next, 'infinity')
          returning e.at, e.verdict),
        by_day as (
          select row(item.scope, (m.at at time zone 'UTC')::date, count(*), count(*)
            filter (where app.is_imported(m.verdict)))::app.click_account_days as d from moved m
          group by (m.at at time zone 'UTC')::date)
      select (select array_agg(b.d) from by_day b),
        (select array_agg(distinct date_bin('15 minutes', m.at, zero)) from moved m), (select count(*) from moved)
        into these, these_times, n;
      update app.click_samples e set account = job.to_scope
        where e.scope = item.scope and e.account = job.from_scope and app.hour_of(e.at) >= app.hour_of(first)
          and app.hour_of(e.at) <= coalesce(app.hour_of(next), 2147483647) and e.at >= first
          and e.at < coalesce(next, 'infinity');
      days := days || coalesce(these, '{}');
      times := times || coalesce(these_times, '{}');
    end if;
    if next is null then
      delete from app.link_move_links l where l.move_id = _move and l.place = item.place;
    else
      update app.link_move_links l set from_at = next where l.move_id = _move and l.place = item.place;
    end if;
    room := room - n;
  end loop;
  if days <> '{}' then perform app.settle_moved_hits(job, days, times); end if;
  return case when app.end_move_if_done(_move) then 'done' else 'more' end;
end $$;

-- In ClickHouse (server/analytics/clickhouse/moved-hits.ts). A step copies the hits of some links in a span of UTC days to the new account,
-- with a negative number as their delivery, and then deletes them in the former one. `app.link_moves.step` has the step under way: a copy
-- that was broken off is deleted and made again, and one that is complete is only followed by the deletion.

-- The step under way, or {"scopes"} of the next links, with the numbers of both accounts. Null when nothing can be done now: all hits stored
-- for the former account have to be delivered first.
create function app.next_move_step(_move uuid, _links integer) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  job constant app.link_moves := (select m from app.link_moves m where m.id = _move and m.state = 'arriving');
begin
  if job.id is null or not app.hits_are_in_clickhouse() or app.is_leased('clicks:pause') then return null; end if;
  if exists (select from app.click_outbox o where o.delivered_at is null and o.made_at <= job.created_at + interval '1 minute') then
    return null;
  end if;
  return jsonb_build_object('from_scope', job.from_scope, 'to_scope', job.to_scope) || coalesce(job.step,
    jsonb_build_object('scopes', (select jsonb_agg(l.scope) from (
      select x.scope from app.link_move_links x where x.move_id = _move order by x.place limit _links) l)));
end $$;

-- Begins a step between two days, the second one excluded, and numbers it.
create function app.begin_move_step(_move uuid, _scopes integer[], _from date, _to date) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  place bigint;
  made jsonb;
begin
  update app.click_store s set last_move_step = s.last_move_step + 1 returning s.last_move_step into place;
  update app.link_moves m set step = jsonb_build_object('scopes', to_jsonb(_scopes), 'from', _from, 'to', _to,
      'delivery', -1000000000000 - place)
    where m.id = _move and m.state = 'arriving' and m.step is null returning m.step into made;
  return made;
end $$;

-- The copy is complete: from now on the step is followed by the deletion. _days is [{"scope", "day", "hits", "imported"}].
create function app.record_moved_step(_move uuid, _days jsonb) returns void
language sql volatile security definer set search_path = '' as $$
  update app.link_moves m set step = m.step || jsonb_build_object('days', _days) where m.id = _move and m.step is not null
$$;

-- The hits are deleted in the former account.
create function app.end_move_step(_move uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  job app.link_moves;
  days app.click_account_days[];
begin
  select * into job from app.link_moves m where m.id = _move and m.step ? 'days' for update;
  if not found then return; end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('hoplet.rollups', a))
    from unnest(array[job.from_scope, job.to_scope]) a order by a;
  delete from app.click_rollups r using jsonb_array_elements_text(job.step -> 'scopes') s (scope) where r.scope = s.scope::integer;
  days := array(select row(d.scope, d.day, d.hits, d.imported)::app.click_account_days
    from jsonb_to_recordset(job.step -> 'days') as d (scope integer, day date, hits bigint, imported bigint));
  -- A UTC day touches two days of a zone.
  perform app.settle_moved_hits(job, days, array(
    select t from unnest(days) d cross join lateral (values (d.day::timestamp at time zone 'UTC'),
      ((d.day + 1)::timestamp at time zone 'UTC' - interval '1 microsecond')) v (t)));
  update app.link_moves m set step = null where m.id = _move;
end $$;

-- All hits of these links have arrived. Returns 'done' after the last of the move, and 'more' before.
create function app.end_moved_links(_move uuid, _scopes integer[]) returns text
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from app.link_move_links l where l.move_id = _move and l.scope = any (_scopes);
  return case when app.end_move_if_done(_move) then 'done' else 'more' end;
end $$;

-- Seen by both accounts --

create policy service_read on app.link_moves for select to service_role using (true);
create policy of_account on app.link_moves for select to authenticated
  using ((select app.current_user_id()) in (from_account, to_account));

create view api.link_moves with (security_invoker = true) as
  select id, from_account, app.space_name(from_account) as from_name, to_account, app.space_name(to_account) as to_name,
    made_by, created_at, links, state, hits, finished_at
  from app.link_moves;
comment on view api.link_moves is
  'Moves of links from and to your account, the newest 100 of each account. While the state is arriving, clicks of the links are on their way.';
comment on function api.preview_move(jsonb, uuid) is
  'What moving links to another account would do: what stays behind, and why it would be refused.';
comment on function api.move_links(jsonb, uuid) is
  'Moves up to 10,000 links of yours to another account in which you may write. They answer for it at once; their clicks follow.';

grant select on api.link_moves to authenticated, service_role;
grant execute on function api.preview_move(jsonb, uuid), api.move_links(jsonb, uuid) to authenticated;
grant execute on function app.last_link_move() to hoplet_visits;
grant execute on function app.links_clicked_before(uuid[], date), app.end_held_places(), app.open_link_moves(),
  app.move_hits(uuid, integer), app.next_move_step(uuid, integer), app.begin_move_step(uuid, integer[], date, date),
  app.record_moved_step(uuid, jsonb), app.end_move_step(uuid), app.end_moved_links(uuid, integer[])
  to hoplet_worker;
