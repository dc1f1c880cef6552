-- The addresses that rules lead to.
create function app.rule_addresses(_rules jsonb) returns setof text
language sql immutable set search_path = '' as $$
  select a #>> '{}' from jsonb_path_query(_rules, '$[*].to') a where jsonb_typeof(a) = 'string'
  union select a #>> '{}' from jsonb_path_query(_rules, '$[*].split[*].to') a where jsonb_typeof(a) = 'string'
  union select a #>> '{}' from jsonb_path_query(_rules, '$[*].app.*') a where jsonb_typeof(a) = 'string'
$$;

-- The addresses of rules that lead to a blocked host: a look-up of a visited name asks, once for each host.
create function app.blocked_rule_addresses(_rules jsonb) returns text[]
language sql stable security definer set search_path = ''
return array(select unnest(h.addresses)
  from (select array_agg(a) as addresses, min(a) as one from app.rule_addresses(_rules) a
    group by app.destination_host(a)) h
  where app.block_of(null, null, h.one) is not null);

-- A second net below domain/visits/parse-rules.ts: rules lead to no refused address, to no blocked host and not to this
-- server.
create function app.refuse_rule_addresses(_rules jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare
  address text;
begin
  for address in select a from app.rule_addresses(_rules) a loop
    if not app.is_destination(address) or length(app.destination_host(address)) > 253 then
      raise check_violation using message = 'Invalid URL', detail = 'A rule leads to an http or https address.';
    end if;
    perform app.refuse_own_host(address);
    if app.block_of(null, null, address) is not null then
      raise check_violation using message = 'Invalid URL', detail = 'A rule leads to a host that is blocked here.';
    end if;
  end loop;
end $$;

-- The first variant of everyone else is the link's own destination. It is stored as null, so that it follows the link.
create function app.with_own_variant(_rules jsonb, _destination text) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  own constant text := _rules #>> '{-1,split,0,to}';
begin
  if (_rules #> '{-1,else}') is null or (_rules #> '{-1,split,0}') is null then return _rules; end if;
  if own is not null and own not in (_destination, _destination || '/') then
    raise check_violation using message = format('Rule %s, variant A, destination: The first variant of everyone else '
      'is the destination of the link: leave its address out', jsonb_array_length(_rules));
  end if;
  return jsonb_set(_rules, '{-1,split,0,to}', 'null');
end $$;

-- Replaces the rules of a link, unless they changed after `_version`. Returns the new version.
create function api.save_link_rules(_link uuid, _rules jsonb, _version integer) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  link app.shortened_urls;
  wanted jsonb;
begin
  select s.* into link from app.shortened_urls s
    where s.id = _link and s.user_id = app.current_user_id() for no key update;
  if not found then
    raise no_data_found using message = 'Your account has no such link.';
  end if;
  if _version is distinct from link.rules_version then
    raise exception using errcode = 'PT409',
      message = 'The rules of this link were changed somewhere else since you opened them.',
      hint = 'stale_version', detail = jsonb_build_object('version', link.rules_version)::text;
  end if;
  if jsonb_typeof(_rules) is distinct from 'array' then
    raise invalid_parameter_value using message = 'Rules are a list';
  end if;
  wanted := app.with_own_variant(_rules, link.original_url);
  perform app.refuse_rule_addresses(wanted);
  if wanted = '[]' then
    delete from app.link_rules r where r.link_id = link.id;
  else
    insert into app.link_rules as r (link_id, rules) values (link.id, wanted)
      on conflict (link_id) do update set rules = excluded.rules;
  end if;
  -- Visitors see the change, as any other change of a link.
  update app.shortened_urls s set rules_version = s.rules_version + 1 where s.id = link.id;
  return link.rules_version + 1;
end $$;

-- {rules, version} of a link, for its owner and for admins; null for anyone else.
create function api.link_rules(_link uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('version', s.rules_version, 'rules', coalesce(
    case when r.rules #> '{-1,split,0,to}' = 'null'
      then jsonb_set(r.rules, '{-1,split,0,to}', to_jsonb(s.original_url)) else r.rules end, '[]'))
  from app.shortened_urls s left join app.link_rules r on r.link_id = s.id
  where s.id = _link and (s.user_id = app.current_user_id() or app.is_admin_or_service())
$$;

-- The question of a simulated visit: the server answers it (server/visits/simulate-visit.ts).
create function api.simulate_visit(_link uuid, _visit jsonb) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  question jsonb;
begin
  select jsonb_build_object('name', s.short_code, 'visit', _visit,
      'state', case when s.is_disabled then 'off'
        when app.block_of(s.short_code, s.user_id, s.original_url) is not null then 'blocked' else 'on' end)
    into question from app.shortened_urls s
    where s.id = _link and (s.user_id = app.current_user_id() or app.is_admin_or_service());
  if question is null then
    raise no_data_found using message = 'Your account has no such link.';
  end if;
  return question;
end $$;

-- The question of a report of the splits that the rules of a link have now (server/analytics/reports/split-report.ts).
create function api.split_report(_link uuid, _from timestamptz, _to timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
begin
  select * into asked from app.asked_scope('link', _link);
  perform app.check_range(_from, _to, '11 years');
  if _from >= _to then raise exception 'The range is empty or too long' using errcode = '22023'; end if;
  return jsonb_build_object('scope', asked.scope, 'account', asked.account, 'from', app.micros(_from),
    'to', app.micros(_to),
    'popup', (select s.id from app.shortened_urls u join app.click_scopes s on s.ref = u.popup_id where u.id = _link),
    'splits', (
      select coalesce(jsonb_agg(jsonb_build_object('rule_id', r.rule ->> 'id', 'variants',
        (select jsonb_agg(v -> 'id') from jsonb_array_elements(r.rule -> 'split') v)) order by r.place), '[]')
      from app.link_rules l cross join jsonb_array_elements(l.rules) with ordinality r (rule, place)
      where l.link_id = _link and r.rule ? 'split'));
end $$;

-- Visitors of a link since a time, who asked for it like a person: for rules about a first visit.
create function app.visitors_since(_link uuid, _since timestamptz, _rows integer) returns setof bigint
language sql stable security definer set search_path = '' as $$
  select distinct e.visitor from app.click_events e join app.click_scopes s on s.id = e.scope
  where s.ref = _link and app.hour_of(e.at) >= app.hour_of(_since) and e.at >= _since and e.visitor <> 0
    and app.is_of_person(e.verdict)
  limit _rows
$$;

create policy visits_read on app.link_rules for select to hoplet_visits using (true);

comment on function api.save_link_rules(uuid, jsonb, integer) is
  'Saves the rules of a link of yours as a whole, unless they were changed since the version. Returns the new version.';
comment on function api.link_rules(uuid) is 'The rules of a link of yours, with their version.';
comment on function api.split_report(uuid, timestamptz, timestamptz) is
  'Clicks and popup conversions of each variant of a link''s splits, and which one is probably better.';
comment on function api.simulate_visit(uuid, jsonb) is
  'What would happen to a visitor of a link of yours: the outcome, the rule that decides, and the reasons of those before it.';

grant execute on function api.save_link_rules(uuid, jsonb, integer) to authenticated;
grant execute on function
  api.link_rules(uuid), api.simulate_visit(uuid, jsonb), api.split_report(uuid, timestamptz, timestamptz)
  to authenticated, service_role;
grant execute on function app.blocked_rule_addresses(jsonb), app.visitors_since(uuid, timestamptz, integer)
  to hoplet_visits;

-- Expectations of links. A trigger notes each changed link that has some in the transaction; the table door reads the
-- note before it commits (server/visits/rules/expectations.ts).

create function app.owns_link(link uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.shortened_urls s where s.id = link and s.user_id = app.current_user_id())
$$;

create function app.note_changed_link() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  changed uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
  noted text := coalesce(current_setting('hoplet.changed_links', true), '');
begin
  if strpos(noted, changed::text) = 0
      and exists (select from app.link_expectations e where e.link_id = changed) then
    perform set_config('hoplet.changed_links', ltrim(noted || ',' || changed, ','), true);
  end if;
  return null;
end $$;
create trigger note_change after update on app.shortened_urls
  -- Not of a link that stays off: it reaches nothing anyway. And not of changes that no visitor meets: the expectations of
  -- a link that has ended are broken by now, and must not refuse a note.
  for each row when (old.click_count = new.click_count and old.* is distinct from new.*
    and not (old.is_disabled and new.is_disabled)
    and to_jsonb(old) - '{title,note,tags,archived_at,external_id,user_id,charged_at,idempotency_key}'::text[]
      is distinct from to_jsonb(new) - '{title,note,tags,archived_at,external_id,user_id,charged_at,idempotency_key}'::text[])
  execute function app.note_changed_link('id');
create trigger note_change after insert or update on app.link_expectations
  for each row execute function app.note_changed_link('link_id');

create trigger trim before insert or update of name on app.link_expectations
  for each row execute function app.trim_texts('name');

create function app.limit_link_expectations() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- The row of the link is the lock, so that two inserts at once do not both find room.
  perform 1 from app.shortened_urls s where s.id = new.link_id for no key update;
  if (select count(*) > 20 from app.link_expectations e where e.link_id = new.link_id) then
    raise exception using errcode = 'P0001', hint = 'too_many_rows',
      message = 'A link has at most 20 expectations. Please delete some first.';
  end if;
  return null;
end $$;
create trigger limit_rows after insert on app.link_expectations
  for each row execute function app.limit_link_expectations();

create policy service_all on app.link_expectations to service_role using (true) with check (true);
create policy own_all on app.link_expectations to authenticated
  using (app.owns_link(link_id)) with check (app.owns_link(link_id));
create policy visits_read on app.link_expectations for select to hoplet_visits using (true);

create view api.link_expectations with (security_invoker = true) as
  select id, link_id, name, visit, expected_url, created_at from app.link_expectations;
comment on view api.link_expectations is
  'Saved simulations of your links, with the address that they must reach. A write that breaks one is refused.';
grant select, insert, update, delete on api.link_expectations to authenticated, service_role;
grant execute on function app.owns_link(uuid) to authenticated;
