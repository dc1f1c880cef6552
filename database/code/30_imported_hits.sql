-- Hits of an archive (docs/decisions/0087): the job writes them after all other rows, a batch in each transaction, and the undo deletes
-- them before their links. They go past counters, webhooks and emails: app.keep_hits alone stores them.

-- Maximum of imported hits of an account, and of new referrers, places and clients that its imports bring on a day.
create function app.max_imported_hits() returns bigint language sql immutable parallel safe
return 5000000;
create function app.max_imported_sources() returns integer language sql immutable parallel safe
return 10000;

create policy worker_all on app.import_hits to hoplet_worker using (true) with check (true);

-- Deletes the hits of an import that wait.
create function app.drop_import_hits(_import uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  dropped bigint;
begin
  with gone as (delete from app.import_hits h where h.import_id = _import returning h.bytes)
    select sum(g.bytes) into dropped from gone g;
  if dropped is not null then
    update app.imports i set bytes = greatest(0, i.bytes - dropped), hits = 0 where i.id = _import;
  end if;
end $$;

-- Where the hits of a batch belong here: the link, page or link of a page that the import made of the row they name.
create function app.import_hit_targets(_import uuid, _places text) returns table (name text, ref uuid)
language sql stable security definer set search_path = '' as $$
  with names as (
      select n.name, split_part(n.name, '.', 1)::integer as place, nullif(split_part(n.name, '.', 2), '') as entry
      from (select distinct t.name from unnest(string_to_array(_places, e'\n')) t (name)) n)
  select n.name, case when n.entry is null then r.link_id else (
      select l.id from app.bio_links l where l.bio_page_id = r.link_id
        and l.link_order = (r.link #>> array['links', n.entry, 'link_order'])::integer
      order by l.title = r.link #>> array['links', n.entry, 'title'] desc, l.id limit 1) end
  from names n join app.import_rows r on r.import_id = _import and r.place = n.place
  where r.result = 'made'
$$;

-- Origins of a batch with the placements that their links have here; the others have none.
create function app.import_hit_origins(_import uuid, _origins jsonb) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(case o.row ->> 9 when '' then o.row
    else jsonb_set(o.row, '{9}', to_jsonb(coalesce((
      select r.link_id || '/' || p.mark from app.import_rows r join app.placements p on p.link_id = r.link_id
      where r.import_id = _import and r.place = split_part(o.row ->> 9, '/', 1)::integer and r.result = 'made'
        and p.mark = split_part(o.row ->> 9, '/', 2)), ''))) end order by o.n), '[]')
  from jsonb_array_elements(_origins) with ordinality o (row, n)
$$;

-- Which rows of a batch are in the dictionaries of hits.
create function app.has_origin(_row jsonb) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.click_origins d where (d.referrer, d.page, d.utm_source, d.utm_medium, d.utm_campaign,
    d.utm_term, d.utm_content, d.rule, d.variant, d.placement) = (_row ->> 0, _row ->> 1, _row ->> 2, _row ->> 3,
    _row ->> 4, _row ->> 5, _row ->> 6, _row ->> 7, _row ->> 8, _row ->> 9))
$$;
create function app.has_place(_row jsonb) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.click_places d where (d.country, d.region, d.city)
    = (_row ->> 0, _row ->> 1, _row ->> 2))
$$;
create function app.has_client(_row jsonb) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.click_clients d where (d.device, d.browser, d.system, d.language, d.bot)
    = (_row ->> 0, _row ->> 1, _row ->> 2, _row ->> 3, _row ->> 4))
$$;

-- Counts _n new sources of the account's imports. Returns false, and counts none, when they are too many for a day.
create function app.spend_imported_sources(_owner uuid, _n integer) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app.import_sources as s (user_id, day, made) values (_owner, app.today(), 0)
    on conflict (user_id) do update set day = excluded.day, made = 0 where s.day < excluded.day;
  update app.import_sources s set made = s.made + _n
    where s.user_id = _owner and s.made + _n <= app.max_imported_sources();
  return found;
end $$;

-- Stores a batch. Returns {kept, elsewhere, old, beyond}: of its hits those that were stored, that belong to no link or page of the
-- import, that are older than the plan keeps, and for which the account has no room; and {unnamed}: those that were stored while the
-- account could bring no new sources.
create function app.store_import_hits(_owner uuid, _batch app.import_hits, _days jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  oldest constant timestamptz := (app.today() - (_days ->> app.plan_of(_owner))::integer)::timestamp at time zone 'UTC';
  room constant bigint := app.max_imported_hits() - coalesce((select sum(d.imported) from app.click_scopes s
    join app.click_account_days d on d.account = s.id where s.ref = _owner), 0);
  targets jsonb := (select jsonb_object_agg(t.name, t.ref)
    from app.import_hit_targets(_batch.import_id, _batch.columns[3]) t where t.ref is not null);
  origins jsonb := app.import_hit_origins(_batch.import_id, _batch.origins);
  places jsonb := _batch.places;
  clients jsonb := _batch.clients;
  found_new integer := (select count(*) from jsonb_array_elements(origins) r where not app.has_origin(r))
    + (select count(*) from jsonb_array_elements(places) r where not app.has_place(r))
    + (select count(*) from jsonb_array_elements(clients) r where not app.has_client(r));
  is_unnamed boolean := false;
  hits app.click_events[];
  counts jsonb;
begin
  if found_new > 0 and targets is not null and not app.spend_imported_sources(_owner, found_new) then
    is_unnamed := true;
    origins := (select coalesce(jsonb_agg(case when app.has_origin(r.row) then r.row
      else '["","","","","","","","","",""]' end order by r.n), '[]') from jsonb_array_elements(origins) with ordinality r (row, n));
    places := (select coalesce(jsonb_agg(case when app.has_place(r.row) then r.row else '["","",""]' end order by r.n), '[]')
      from jsonb_array_elements(places) with ordinality r (row, n));
    clients := (select coalesce(jsonb_agg(case when app.has_client(r.row) then r.row
      else '["","","","",""]' end order by r.n), '[]') from jsonb_array_elements(clients) with ordinality r (row, n));
  end if;
  if targets is not null then
    with numbers as materialized (
        select app.click_origins_of(origins) as origins, app.click_places_of(places) as places,
          app.click_clients_of(clients) as clients),
      scopes as materialized (
        select t.key as name, s.scope, s.account from jsonb_each_text(targets) t
          join app.click_scopes_of(array(select distinct r.value::uuid from jsonb_each_text(targets) r)) s
            on s.ref = t.value::uuid),
      given as materialized (
        select to_timestamp(h.at::float8 / 1000) as at, h.n::bigint as n, s.scope, s.account, h.origin::integer as origin,
          h.place::integer as place, h.client::integer as client, h.source::"char" as source
        from unnest(string_to_array(_batch.columns[1], e'\n'), string_to_array(_batch.columns[2], e'\n'),
            string_to_array(_batch.columns[3], e'\n'), string_to_array(_batch.columns[4], e'\n'),
            string_to_array(_batch.columns[5], e'\n'), string_to_array(_batch.columns[6], e'\n'),
            string_to_array(_batch.columns[7], e'\n')) h (at, n, target, origin, place, client, source)
          left join scopes s on s.name = h.target),
      kept as (
        select g.* from given g where g.scope is not null and g.at >= oldest order by g.n limit greatest(room, 0))
    select array(select row(k.at, k.n, k.scope, k.account, coalesce(n.origins[k.origin], 0), coalesce(n.places[k.place], 0),
          coalesce(n.clients[k.client], 0), 'i', k.source)::app.click_events from kept k, numbers n order by k.n),
      (select jsonb_build_object('elsewhere', count(*) filter (where g.scope is null),
          'old', count(*) filter (where g.scope is not null and g.at < oldest),
          'fit', count(*) filter (where g.scope is not null and g.at >= oldest)) from given g)
      into hits, counts;
  else
    counts := jsonb_build_object('elsewhere', _batch.hits, 'old', 0, 'fit', 0);
  end if;
  if cardinality(hits) > 0 then
    perform app.keep_hits(hits);
    insert into app.import_hit_days as d (import_id, day, hits)
      select _batch.import_id, (h.at at time zone 'UTC')::date, count(*) from unnest(hits) h group by 2 order by 2
      on conflict (import_id, day) do update set hits = d.hits + excluded.hits;
  end if;
  return jsonb_build_object('kept', coalesce(cardinality(hits), 0), 'elsewhere', counts -> 'elsewhere', 'old', counts -> 'old',
    'beyond', (counts ->> 'fit')::integer - coalesce(cardinality(hits), 0),
    'unnamed', case when is_unnamed then coalesce(cardinality(hits), 0) else 0 end);
end $$;

create function app.count_words(_n bigint) returns text
language sql immutable set search_path = ''
return to_char(_n, 'FM999,999,999') || case _n when 1 then ' hit' else ' hits' end;

-- Sentences about the hits of an import, for their row.
create function app.import_hit_notes(_counts jsonb) returns text[]
language sql immutable set search_path = ''
return array_remove(array[
  app.count_words(coalesce((_counts ->> 'kept')::bigint, 0)) || ' arrived as imported.',
  case when (_counts ->> 'elsewhere')::bigint > 0 then app.count_words((_counts ->> 'elsewhere')::bigint)
    || ' left out: this import did not make their link.' end,
  case when (_counts ->> 'old')::bigint > 0 then app.count_words((_counts ->> 'old')::bigint)
    || ' left out: older than your plan keeps.' end,
  case when (_counts ->> 'beyond')::bigint > 0 then app.count_words((_counts ->> 'beyond')::bigint)
    || ' left out: an account has at most ' || app.count_words(app.max_imported_hits()) || ' of archives.' end,
  case when (_counts ->> 'unnamed')::bigint > 0 then app.count_words((_counts ->> 'unnamed')::bigint)
    || ' may lack their source, place or browser: an account brings at most '
    || to_char(app.max_imported_sources(), 'FM999,999') || ' new ones a day.' end], null);

-- Writes the next batch of hits of an import after its other rows, or ends the row of hits after the last one. Returns the state after it; null when another one works on it,
-- or it does not run. _days as in app.delete_old_clicks.
create function app.write_import_hits(_import uuid, _days jsonb) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  job app.imports;
  item app.import_rows;
  batch app.import_hits;
  first timestamptz;
  last timestamptz;
  counts jsonb;
begin
  select * into job from app.imports i where i.id = _import and i.user_id = app.current_user_id()
    and i.state in ('running', 'waiting') and not i.undoes for update skip locked;
  if not found then return null; end if;
  select r.* into item from app.import_rows r where r.import_id = _import and r.result is null order by r.place limit 1;
  if item.link ->> 'kind' is distinct from 'hits' then return job.state; end if;
  select h.* into batch from app.import_hits h where h.import_id = _import order by h.place limit 1;
  if not found then
    update app.import_rows r set result = case when (item.link ->> 'kept')::bigint > 0 then 'made' else 'skipped' end,
        notes = r.notes || app.import_hit_notes(item.link)
      where r.import_id = _import and r.place = item.place returning r.result into item.result;
    update app.imports i set state = 'running', next_at = now(), results = app.add_to_results(i.results, item.result, 1)
      where i.id = _import;
    return 'running';
  end if;
  select to_timestamp(min(t::float8) / 1000), to_timestamp(max(t::float8) / 1000) into first, last
    from unnest(string_to_array(batch.columns[1], e'\n')) t;
  first := greatest(first, now() - (_days ->> app.plan_of(job.user_id))::integer * interval '1 day');
  if not app.hits_are_in_clickhouse() and exists (
      select from generate_series(date_trunc('month', first, 'UTC'), last, interval '1 month') m
      where to_regclass('app.click_events_' || to_char(m at time zone 'UTC', 'YYYY_MM')) is null) then
    -- In its own step: it waits for other transactions, and they wait for it.
    perform set_config('lock_timeout', '2s', true);
    perform app.make_click_months((first at time zone 'UTC')::date, (last at time zone 'UTC')::date);
    return 'running';
  end if;
  counts := app.store_import_hits(job.user_id, batch, _days);
  delete from app.import_hits h where h.import_id = _import and h.place = batch.place;
  update app.import_rows r set link = r.link || (
      select jsonb_object_agg(c.key, coalesce((r.link ->> c.key)::bigint, 0) + c.value::bigint) from jsonb_each_text(counts) c)
    where r.import_id = _import and r.place = item.place;
  update app.imports i set hits = greatest(0, i.hits - batch.hits), bytes = greatest(0, i.bytes - batch.bytes), state = 'running',
    last_row_at = now(), next_at = now(), notice = null where i.id = _import;
  return 'running';
end $$;

-- Undo --

-- Deletes up to _rows imported hits of the links or pages with these ids. Returns how many it deleted in PostgreSQL; those in ClickHouse
-- follow (app.due_import_deletions). No undo runs while hits move to ClickHouse.
create function app.delete_imported_hits(_refs uuid[], _rows integer) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  scopes constant integer[] := array(select s.id from app.click_scopes s where s.ref = any (_refs));
  deleted integer := 0;
  n integer;
begin
  if scopes = '{}' then return 0; end if;
  insert into app.clickhouse_import_deletions as d (scope, account)
    select s.id, a.id from app.click_store c, app.click_scopes s join app.click_scopes a on a.ref = s.user_id
      where c.state <> 'postgres' and s.id = any (scopes) order by 1
    on conflict (scope) do update set made_at = now();
  delete from app.click_events e where (e.tableoid, e.ctid) in (
    select x.tableoid, x.ctid from app.click_events x where x.scope = any (scopes) and app.is_imported(x.verdict) limit _rows);
  get diagnostics deleted = row_count;
  delete from app.click_samples e where (e.tableoid, e.ctid) in (
    select x.tableoid, x.ctid from app.click_samples x where x.scope = any (scopes) and app.is_imported(x.verdict)
    limit _rows - deleted);
  get diagnostics n = row_count;
  return deleted + n;
end $$;

-- Takes the hits that an import brought out of the sums of their days, when they are deleted.
create function app.take_back_import_days(_import uuid, _owner uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  owner_scope constant integer := (select s.id from app.click_scopes s where s.ref = _owner);
begin
  if owner_scope is not null then
    -- A UTC day touches two days of a zone.
    perform app.delete_rollups(owner_scope, array(
      select t from app.import_hit_days d cross join lateral (
          values (d.day::timestamp at time zone 'UTC'), ((d.day + 1)::timestamp at time zone 'UTC' - interval '1 microsecond')) v (t)
        where d.import_id = _import));
    update app.click_account_days a set received = a.received - d.hits, imported = a.imported - d.hits
      from app.import_hit_days d where d.import_id = _import and a.account = owner_scope and a.day = d.day
        -- Their plan may have let them go, and other hits of that day may have come since.
        and a.imported >= d.hits;
  end if;
  delete from app.import_hit_days d where d.import_id = _import;
end $$;

-- Imported hits to delete in ClickHouse: all hits stored before have been delivered.
create function app.due_import_deletions() returns table (scopes integer[], accounts integer[])
language sql stable security definer set search_path = '' as $$
  select array_agg(d.scope), array_agg(distinct d.account) from (
    select x.scope, x.account from app.clickhouse_import_deletions x
    where x.made_at < now() - interval '1 minute'
      and not exists (select from app.click_outbox o where o.delivered_at is null
        and o.made_at <= x.made_at + interval '1 minute')
    order by x.scope limit 1000) d
  where not exists (select from app.click_store s where s.state = 'moving') and not app.is_leased('clicks:pause')
  having count(*) > 0
$$;

create function app.end_import_deletions(_scopes integer[]) returns void
language sql volatile security definer set search_path = '' as $$
  delete from app.clickhouse_import_deletions d where d.scope = any (_scopes)
$$;

grant execute on function app.write_import_hits(uuid, jsonb), app.drop_import_hits(uuid), app.due_import_deletions(),
  app.end_import_deletions(integer[])
  to hoplet_worker;
