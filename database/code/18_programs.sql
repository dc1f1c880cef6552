-- An idempotency key that comes with another request is a fault of the request itself (422), not a conflict with the
-- state of a row (draft-ietf-httpapi-idempotency-key-header, 2.7).
create function auth.begin_idempotent_request(_key text, _request bytea) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  earlier app.idempotent_requests;
begin
  delete from app.idempotent_requests r where r.user_id = app.current_user_id() and r.key = _key
    and r.made_at < now() - interval '24 hours';
  insert into app.idempotent_requests (user_id, key, request) values (app.current_user_id(), _key, _request)
    on conflict do nothing;
  if found then return null; end if;
  select * into earlier from app.idempotent_requests r where r.user_id = app.current_user_id() and r.key = _key;
  if earlier.request <> _request then
    raise exception using errcode = 'PT422', message = 'This idempotency key was used for another request.',
      hint = 'idempotency_key_reused';
  end if;
  return earlier.result;
end $$;

create function auth.end_idempotent_request(_key text, _result text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
begin
  update app.idempotent_requests r set result = case when octet_length(_result) <= 16384 then _result else 'null' end
    where r.user_id = me and r.key = _key;
  if random() < 0.05 then
    delete from app.idempotent_requests r where r.user_id = me and r.key in (
      select x.key from (
        select i.key, row_number() over newer as place, sum(coalesce(octet_length(i.result), 0)) over newer as bytes
        from app.idempotent_requests i where i.user_id = me window newer as (order by i.made_at desc)) x
      where app.is_beyond_kept(x.place, x.bytes));
  end if;
end $$;

-- Answers to repeated requests: up to 16 kB each, and of a person the newest 5,000 and 4 MB. The word null stands in
-- the place of a longer answer: a repetition then changes nothing either.
create function app.delete_idempotent_requests(_rows integer) returns bigint
language sql volatile security definer set search_path = '' as $$
  with gone as (
    delete from app.idempotent_requests r where (r.user_id, r.key) in (
      select x.user_id, x.key from (
        select i.user_id, i.key, i.made_at, row_number() over newer as place,
          sum(coalesce(octet_length(i.result), 0)) over newer as bytes
        from app.idempotent_requests i window newer as (partition by i.user_id order by i.made_at desc)) x
      where x.made_at < now() - interval '24 hours' or app.is_beyond_kept(x.place, x.bytes) limit _rows)
    returning 1)
  select count(*) from gone
$$;

-- The newest link of the caller to an address, on the place of `_domain` as in a new link, as create_links answers. An app reads it, so it needs the right to.
create function auth.newest_link_to(_address text, _domain text default null) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  if app.claims() ->> 'client_id' is not null
    and 'links:read' <> all (string_to_array(coalesce(app.claims() ->> 'scope', ''), ' ')) then
    raise insufficient_privilege using message = 'reuse needs the scope links:read';
  end if;
  return (select jsonb_build_object('id', s.id, 'short_code', app.name_in(s.short_code), 'domain', s.domain,
      'original_url', s.original_url, 'external_id', s.external_id)
    from app.shortened_urls s
    where s.domain is not distinct from (app.place_of(app.current_user_id(), _domain)).host and s.user_id = app.current_user_id()
      and hashtextextended(s.original_url, 0) = hashtextextended(_address, 0) and s.original_url = _address
    order by s.created_at desc, s.id desc limit 1);
end $$;

-- The host of the place that a new link would have, as the link shows it.
create function auth.host_of_place(_domain text) returns text
language sql stable security definer set search_path = ''
return (app.place_of(app.current_user_id(), _domain)).host;

-- Makes up to 1,000 links, and changes those with a known external id. Each row gets a separate result:
--   [{"index": 0, "status": "created" | "updated" | "reused", "link": {…}}, {"index": 1, "status": "failed", "error": {…}}]
-- A row may have `rules`, and `reuse`: then the newest link of the account to the same address is the answer, if there is one. With
-- _all_or_nothing one row that fails fails all. The server has checked addresses and rules: a row with an error is one that it refused.
create function api.create_links(_links jsonb, _all_or_nothing boolean default false) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  me uuid := nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub';
  -- The columns that the caller may give: the grants say which.
  known text[];
  never_null text[];
  given jsonb;
  columns text[];
  answers jsonb := '[]';
  link jsonb;
  place integer := 0;
  taken integer := 0;
  failed integer := 0;
  waited integer := 0;
  made jsonb;
  status text;
  rules jsonb;
  problem jsonb;
  message text; detail text; hint text; named text; named_column text;
begin
  if jsonb_typeof(_links) <> 'array' or jsonb_array_length(_links) > 1000 then
    raise exception using errcode = '22023', message = '_links is a list of at most 1,000 links';
  end if;
  -- Rows take locks that wait for each other; one person has one such request at a time.
  -- It waits a second, because batches of an import are shorter.
  while not pg_try_advisory_xact_lock(hashtextextended('hoplet.create_links ' || me, 0)) loop
    waited := waited + 1;
    perform pg_sleep(0.05);
    if waited < 20 then continue; end if;
    raise exception using errcode = 'PT429',
      message = 'Another request of yours is making links. Please try again when it has ended.';
  end loop;
  select array_agg(a.attname::text), array_agg(a.attname::text) filter (where a.attnotnull) into known, never_null
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relname = 'shortened_urls' and c.relnamespace = (select n.oid from pg_namespace n where n.nspname = 'app')
      and a.attnum > 0 and a.attname <> 'user_id' and has_column_privilege(c.oid, a.attnum, 'insert');
  for link in select * from jsonb_array_elements(_links) loop
    made := null;
    problem := link -> 'error';
    if problem is null then
      begin
        if jsonb_typeof(link) <> 'object' then
          raise exception using errcode = '22023', message = 'A link is a JSON object';
        end if;
        rules := coalesce(nullif(link -> 'rules', 'null'), '[]');
        if link -> 'reuse' = 'true' then
          made := auth.newest_link_to(link ->> 'original_url', link ->> 'domain');
          if made is not null then
            answers := answers || jsonb_build_object('index', place, 'status', 'reused', 'link', made);
            place := place + 1;
            continue;
          end if;
        end if;
        link := link - '{rules,reuse}'::text[] - case when link ->> 'domain' is null then 'domain' else '' end;
        if current_setting('hoplet.import', true) = 'on' then
          -- The view masks this column, so that no insert can name it (app.before_link_insert).
          perform set_config('hoplet.clicks_before', coalesce(link ->> 'clicks_before', ''), true);
          link := link - 'clicks_before';
        end if;
        if exists (select from jsonb_object_keys(link) k where k <> all (known)) then
          raise exception using errcode = '42703',
            message = 'Unknown key; allowed: ' || array_to_string(known || '{rules,reuse}'::text[], ', ');
        end if;
        if link ->> 'short_code' is not null and taken >= 30 then
          raise exception using errcode = 'PT429',
            message = 'Too many codes of this request are taken. Please send the others again.';
        end if;
        -- A null is as good as nothing for a column that is never null: it gets its default, or stays.
        given := jsonb_build_object('user_id', me) || link - array(
          select k.key from jsonb_each(link) k where k.value = 'null' and k.key = any (never_null));
        columns := array(select quote_ident(k) from jsonb_object_keys(given) k);
        status := 'updated';
        if link ->> 'external_id' is not null then
          execute 'update api.shortened_urls u set '
            || (select string_agg(format('%1$s = g.%1$s', c), ', ') from unnest(columns) c
              where c not in ('short_code', 'domain', 'user_id'))
            -- A caller that may write but not read learns no more than its own input.
            || ' from jsonb_populate_record(null::api.shortened_urls, $1) g
              where u.user_id = g.user_id and u.external_id = g.external_id
              returning jsonb_strip_nulls(jsonb_build_object(''id'', u.id, ''short_code'', substr(u.short_code, strpos(u.short_code, ''/'') + 1),
                ''domain'', u.domain,
                ''original_url'', case when $1 ? ''original_url'' then u.original_url end,
                ''external_id'', u.external_id))'
            into made using given;
          if made is not null and (lower(link ->> 'short_code') <> made ->> 'short_code'
            or link ? 'domain' and auth.host_of_place(link ->> 'domain') is distinct from made ->> 'domain') then
            raise check_violation using message = 'A link keeps its short code and its owner.';
          end if;
        end if;
        if made is null then
          status := 'created';
          execute format('insert into api.shortened_urls as u (%s) select %s
              from jsonb_populate_record(null::api.shortened_urls, $1) g
              returning jsonb_build_object(''id'', u.id, ''short_code'', substr(u.short_code, strpos(u.short_code, ''/'') + 1), ''domain'', u.domain,
                ''original_url'', u.original_url,
                ''external_id'', u.external_id)',
              array_to_string(columns, ', '), 'g.' || array_to_string(columns, ', g.'))
            into made using given;
        end if;
        if rules <> '[]' then
          perform api.save_link_rules((made ->> 'id')::uuid, rules,
            (api.link_rules((made ->> 'id')::uuid) ->> 'version')::integer);
        end if;
      exception when data_exception or integrity_constraint_violation or syntax_error_or_access_rule_violation
        or raise_exception or sqlstate 'PT429' then
        get stacked diagnostics message = message_text, detail = pg_exception_detail, hint = pg_exception_hint,
          named = constraint_name, named_column = column_name;
        problem := jsonb_build_object('code', sqlstate, 'message', message, 'details', nullif(detail, ''),
          'hint', nullif(hint, ''), 'constraint', nullif(named, ''), 'column', nullif(named_column, ''));
        made := null;
        if named = 'shortened_urls_short_code_key' then taken := taken + 1; end if;
      end;
    end if;
    if problem is null then
      answers := answers || jsonb_build_object('index', place, 'status', status, 'link', made);
    else
      failed := failed + 1;
      answers := answers || jsonb_build_object('index', place, 'status', 'failed', 'error', problem);
    end if;
    place := place + 1;
  end loop;
  if _all_or_nothing and failed > 0 then
    raise exception using errcode = 'PT400', message = format('%s of %s links failed, so none was made', failed, place),
      detail = jsonb_path_query_array(answers, '$[*] ? (@.status == "failed")')::text;
  end if;
  return answers;
end $$;

comment on function api.create_links(jsonb, boolean) is
  'Makes up to 1,000 links, or changes those whose external_id is known. Each row gets an answer of its own; '
  'with _all_or_nothing, one that fails fails all.';

-- Hosts of an account, for a new key that is limited to some.
create function auth.domains_of(account uuid) returns table (host text)
language sql stable security definer set search_path = '' as $$
  select d.host from app.domains d where d.user_id = account
$$;
grant execute on function auth.domains_of(uuid) to hoplet_auth;

-- The doors ask this on each request with a key, so that a revoked one stops working at once on every server. Null: it
-- was revoked or has expired, or its account is banned.
create function auth.api_key_status(key uuid, person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select 'live' from auth.api_keys k join auth.users u on u.id = coalesce(k.made_by, k.user_id)
  where k.id = key and u.id = person and (k.expires_at is null or k.expires_at > now())
    and (u.banned_until is null or u.banned_until < now())
$$;

-- Keeps the last 1,000 of a person. It looks at each 50th, because a request may write a thousand.
create function app.record_app_change(_user uuid, _action text, _kind text, _target uuid, _name text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  client uuid := app.claims() ->> 'client_id';
  latest auth.app_changes;
  noted bigint;
begin
  -- A page is saved in several statements, which are one change.
  if _kind = 'bio page' then
    select * into latest from auth.app_changes c where c.user_id = _user order by c.id desc limit 1;
    if latest.target = _target and latest.at = now() then return; end if;
  end if;
  insert into auth.app_changes (user_id, client_id, app, action, kind, target, name)
    values (_user, client, coalesce((select o.client_name from auth.oauth_clients o where o.id = client),
        (select left('API key ' || k.name, 200) from auth.api_keys k where k.id = client), 'An app'),
      _action, _kind, _target, left(_name, 200))
    returning id into noted;
  if noted % 50 = 0 then
    delete from auth.app_changes c where c.id in (
      select d.id from auth.app_changes d where d.user_id = _user
      order by d.id desc offset 1000 for update skip locked);
  end if;
end $$;

-- Only writes of the app itself: no consequences, no counters.
create function app.record_app_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  done constant text := case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'deleted' end;
  of_row jsonb;
begin
  if app.claims() ->> 'client_id' is null or pg_trigger_depth() > 1 then return null; end if;
  of_row := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  if tg_table_name in ('bio_links', 'bio_social_links') then
    perform app.record_app_change(p.user_id, 'changed', 'bio page', p.id, app.shown_name(p.slug))
      from app.bio_pages p where p.id = (of_row ->> 'bio_page_id')::uuid;
    return null;
  end if;
  perform app.record_app_change((of_row ->> 'user_id')::uuid, done,
    case tg_table_name when 'shortened_urls' then 'link' when 'popups' then 'popup' else 'bio page' end,
    (of_row ->> 'id')::uuid,
    coalesce(app.shown_name(coalesce(of_row ->> 'short_code', of_row ->> 'slug')), of_row ->> 'title'));
  return null;
end $$;
create trigger record_app_change after insert or delete on app.shortened_urls
  for each row when (pg_trigger_depth() = 0) execute function app.record_app_change();
create trigger record_app_update after update on app.shortened_urls
  for each row when (old.click_count = new.click_count and old.* is distinct from new.*
    and coalesce(current_setting('hoplet.import', true), '') <> 'move')
  execute function app.record_app_change();
create trigger record_app_change after insert or delete on app.popups
  for each row execute function app.record_app_change();
create trigger record_app_update after update on app.popups
  for each row when (old.* is distinct from new.*) execute function app.record_app_change();
create trigger record_app_change after insert or delete on app.bio_pages
  for each row execute function app.record_app_change();
create trigger record_app_update after update on app.bio_pages
  for each row when (old.visit_count = new.visit_count and old.* is distinct from new.*)
  execute function app.record_app_change();
create trigger record_app_change after insert or delete on app.bio_links
  for each row execute function app.record_app_change();
create trigger record_app_update after update on app.bio_links
  for each row when (old.click_count = new.click_count and old.* is distinct from new.*)
  execute function app.record_app_change();
create trigger record_app_change after insert or delete or update on app.bio_social_links
  for each row execute function app.record_app_change();

grant execute on function
  api.create_links(jsonb, boolean), auth.host_of_place(text), auth.newest_link_to(text, text), auth.api_key_status(uuid, uuid), auth.begin_idempotent_request(text, bytea),
  auth.end_idempotent_request(text, text)
  to authenticated;
grant execute on function app.delete_idempotent_requests(integer) to hoplet_worker;
