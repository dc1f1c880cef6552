create policy visits_read on app.domains for select to hoplet_visits using (true);
create policy worker_read on app.domains for select to hoplet_worker using (true);

-- Servers read the row again.
create function app.notify_domains() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_domains', coalesce(new.id, old.id)::text);
  return null;
end $$;
-- Servers do not read unproven rows.
create trigger notify_insert after insert on app.domains
  for each row when (new.is_served or new.is_proven) execute function app.notify_domains();
create trigger notify_update after update of host, is_served, is_proven, root_url, missing_url on app.domains
  for each row when ((old.is_served or new.is_served or old.is_proven or new.is_proven) and
    (old.host, old.is_served, old.is_proven, old.root_url, old.missing_url)
      is distinct from (new.host, new.is_served, new.is_proven, new.root_url, new.missing_url))
  execute function app.notify_domains();
create trigger notify_delete after delete on app.domains
  for each row when (old.is_served or old.is_proven) execute function app.notify_domains();

-- Domains that lead to the bio page of their account.
create function app.notify_domains_of_bio() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_domains', d.id::text) from app.domains d
    where d.user_id = coalesce(new.user_id, old.user_id) and 'bio' in (d.root_url, d.missing_url);
  return null;
end $$;
create trigger notify_domains after insert or delete or update of slug, user_id on app.bio_pages
  for each row execute function app.notify_domains_of_bio();

-- Addresses of a domain lead nowhere while its account or their host is blocked.
create function app.notify_domains_of_block() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  block constant app.blocks := case tg_op when 'DELETE' then old else new end;
begin
  if block.kind = 'host' then
    perform pg_notify('hoplet_domains', '');
  elsif block.kind <> 'link' then
    perform pg_notify('hoplet_domains', d.id::text) from app.domains d where d.user_id = block.value::uuid;
  end if;
  return null;
end $$;
create trigger notify_domains after insert or update or delete on app.blocks
  for each row execute function app.notify_domains_of_block();

-- The hosts of the calling API key; null for a caller without such a limit.
create function app.key_domains() returns text[]
language sql stable set search_path = ''
return case when app.claims() -> 'domains' is not null
  then array(select jsonb_array_elements_text(app.claims() -> 'domains')) end;
grant execute on function app.key_domains() to authenticated, service_role;

-- Names that no link and no page of a domain can have: domain/links/domain-paths.ts has the reasons.
create function app.reserved_on_domains() returns text[] language sql immutable parallel safe
return array['404', 'assets', 'audience', 'favicon', 'media', 'og', 'q', 'report', 'robots', 'well-known'];

-- Whether a host, in lower case, is one of this server. An empty one is.
create function app.is_own_host(host text) returns boolean
language sql stable security definer set search_path = '' as $$
  select host = '' or regexp_replace(regexp_replace(host, ':[0-9]+$', ''), '^www\.', '') in (
    select regexp_replace(o.host, ':[0-9]+$', '') from app.own_hosts o)
$$;

-- The key of a name in a text of a person or program: `menu` on this server's host, `go.example/menu` on a domain, in any case. Null
-- for a host that is neither: no name of this server has such an address. An account's own domain comes first, also one that is not
-- verified any more or was removed: its links are still there.
create function app.key_of(named text) returns text
language sql stable security definer set search_path = '' as $$
  select case when n.host is null or app.is_own_host(n.host) then n.name
    else coalesce(
      (select d.id from app.domains d where d.user_id = app.current_user_id() and d.host = n.host),
      (select f.id from app.former_domains f where f.user_id = app.current_user_id() and f.host = n.host),
      (select d.id from app.domains d where d.host = n.host and d.is_served)) || '/' || n.name end
  from (select lower(p.parts[2]) as name, regexp_replace(regexp_replace(lower(p.parts[1]), ':[0-9]+$', ''), '\.$', '') as host
    from (select regexp_match(btrim(named), '^(?:([^/\s]{1,255})/)?([^/\s]*)$') as parts) p) n
$$;

-- The name of a key as visitors see it, behind the host of its domain.
create function app.shown_name(key text) returns text
language sql stable security definer set search_path = '' as $$
  select case when strpos(key, '/') = 0 then key
    else coalesce((select d.host from app.domains d where d.id = split_part(key, '/', 1)::integer) || '/',
      (select f.host from app.former_domains f where f.id = split_part(key, '/', 1)::integer) || '/', '')
        || split_part(key, '/', 2) end
$$;

-- The name of a key, without its domain.
create function app.name_in(key text) returns text language sql immutable parallel safe
return substr(key, strpos(key, '/') + 1);

-- The beginning of a key: '' on the own host, `5/` on a domain.
create function app.prefix_in(key text) returns text language sql immutable parallel safe
return left(key, strpos(key, '/'));

grant execute on function app.key_of(text), app.shown_name(text) to hoplet_visits;

-- Domains of accounts: the rows that people and programs write, and the checks of their DNS (server/domains/).

create policy own_read on app.domains for select to authenticated using (user_id = (select app.current_user_id()));
create policy own_insert on app.domains for insert to authenticated
  with check (user_id = (select app.current_user_id()) and (select app.acting_role()) = 'owner');
create policy own_update on app.domains for update to authenticated
  using (user_id = (select app.current_user_id()) and (select app.acting_role()) = 'owner')
  with check (user_id = (select app.current_user_id()));
create policy own_delete on app.domains for delete to authenticated
  using (user_id = (select app.current_user_id()) and (select app.acting_role()) = 'owner');
create policy service_all on app.domains to service_role using (true) with check (true);

-- Refuses an addition beyond the limits of the account. Its row is locked: additions of an account queue.
create function app.require_room_for_domain(account uuid, wanted text, registered text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  most constant integer := (select l.domains from app.plan_limits(app.plan_of(account)) l);
  added record;
begin
  perform 1 from auth.users u where u.id = account for no key update;
  select count(*) as total, count(*) filter (where not d.is_served) as unverified into added
    from app.domains d where d.user_id = account;
  if added.total >= most then
    raise exception using errcode = 'P0001', hint = 'plan',
      message = format('Your plan allows %s %s.', most, case most when 1 then 'domain' else 'domains' end);
  end if;
  if added.unverified >= 5 then
    raise exception using errcode = 'P0001', hint = 'too_many_rows',
      message = '5 of your domains are not verified. Please verify or remove one first.';
  end if;
  select count(*) as total, count(*) filter (where registered <> '' and a.registered_domain = registered) as of_registered
    into added from (
      select d.host, d.registered_domain, d.created_at from app.domains d where d.user_id = account
      union all select f.host, f.registered_domain, f.created_at from app.former_domains f where f.user_id = account) a
    where a.created_at > now() - interval '7 days' and a.host <> wanted;
  -- A certificate authority counts the certificates of a registered domain in a week.
  if added.of_registered >= 20 then
    raise exception using errcode = 'P0001', hint = 'too_many_rows',
      message = format('You can add 20 hosts of %s in 7 days.', registered);
  end if;
  if added.total >= 100 then
    raise exception using errcode = 'P0001', hint = 'too_many_rows', message = 'You can add 100 domains in 7 days.';
  end if;
end $$;

-- The table door writes a host and its registered domain as one text (server/tables/checks/read-domain.ts). A host that the account
-- had before gets its id back, and its links answer again.
create function app.before_domain_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  former app.former_domains;
begin
  if strpos(new.host, ' ') > 0 then
    new.registered_domain := split_part(new.host, ' ', 2);
    new.host := split_part(new.host, ' ', 1);
  end if;
  -- An operator may plant any row.
  if app.claims() ->> 'role' is not null then
    if app.is_own_host(new.host) then
      raise check_violation using message = 'This is a host of this server.', constraint = 'domains_own_host';
    end if;
    if app.block_of(null, null, 'https://' || new.host) = 'host' then
      raise check_violation using message = 'This host is blocked here.', constraint = 'domains_blocked_host';
    end if;
  end if;
  if app.current_user_id() is not null then
    if exists (select from app.domains d where d.user_id = new.user_id and d.host = new.host) then
      raise unique_violation using message = 'You have this domain already', constraint = 'domains_of_account';
    end if;
    perform app.require_room_for_domain(new.user_id, new.host, new.registered_domain);
  end if;
  delete from app.former_domains f where f.user_id = new.user_id and f.host = new.host returning * into former;
  if former.id is not null then
    new.id := former.id;
    new.registered_domain := coalesce(nullif(new.registered_domain, ''), former.registered_domain);
  end if;
  return new;
end $$;
create trigger before_insert before insert on app.domains for each row execute function app.before_domain_insert();

-- Where the root and the missing codes lead, and the one default of an account.
create function app.before_domain_write() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  url text;
begin
  foreach url in array array[new.root_url, new.missing_url] loop
    continue when url is null or url = 'bio' or app.claims() ->> 'role' is null;
    if app.destination_host(url) = new.host then
      raise check_violation using message = 'Invalid URL', detail = 'A domain must not lead back to itself.';
    end if;
    perform app.refuse_own_host(url);
    if app.block_of(null, null, url) = 'host' then
      raise check_violation using message = 'Invalid URL', detail = 'This host is blocked here.';
    end if;
  end loop;
  if new.is_default and (tg_op = 'INSERT' or not old.is_default) then
    update app.domains d set is_default = false where d.user_id = new.user_id and d.is_default and d.id <> new.id;
  end if;
  return new;
end $$;
create trigger before_write before insert or update of root_url, missing_url, is_default on app.domains
  for each row execute function app.before_domain_write();

-- An account that is deleted keeps none.
create function app.after_domain_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into app.former_domains (id, user_id, host, registered_domain, created_at)
    select old.id, old.user_id, old.host, old.registered_domain, old.created_at from auth.users u where u.id = old.user_id;
  return null;
end $$;
create trigger after_delete after delete on app.domains for each row execute function app.after_domain_delete();

-- Links and bio pages of a domain, by the index of the account's codes.
create function app.links_on_domain(_account uuid, _domain integer) returns integer
language sql stable security definer set search_path = '' as $$
  select ((select count(*) from app.shortened_urls s where s.user_id = _account
      and s.short_code collate "C" >= _domain || '/' and s.short_code collate "C" < _domain || '0')
    + (select count(*) from app.bio_pages b where b.user_id = _account and starts_with(b.slug, _domain || '/')))::integer
$$;

-- DNS records of a domain, for its owner to copy: the proof of ownership, and the direction. A registered domain itself cannot have a
-- CNAME: it gets addresses, as far as they are known. `found` are the facts of the last check.
create function app.domain_records(_host text, _registered text, _token text, _found jsonb) returns jsonb
language sql stable security definer set search_path = '' as $$
  with target as (
    select i.links_host, case when cardinality(i.domain_addresses) > 0
        then array(select host(a) from unnest(i.domain_addresses) a)
        else array(select a from jsonb_array_elements_text(_found -> 'target') a) end as addresses,
      _host = _registered or _registered = '' and _host !~ '\..*\.' as is_registered
    from app.installation i)
  select jsonb_build_array(jsonb_build_object('type', 'TXT', 'name', '_hoplet.' || _host, 'value', 'hoplet=' || _token,
      'found', coalesce((_found ->> 'txt')::boolean, false)))
    || case when t.is_registered and cardinality(t.addresses) > 0 then (
        select jsonb_agg(jsonb_build_object('type', case when a.value like '%:%' then 'AAAA' else 'A' end, 'name', _host,
          'value', a.value, 'found', coalesce(_found -> 'addresses' ? a.value, false)) order by a.place)
        from unnest(t.addresses) with ordinality as a (value, place))
      else jsonb_build_array(jsonb_build_object('type', 'CNAME', 'name', _host, 'value', t.links_host,
        'found', coalesce((_found ->> 'direction')::boolean, false))) end
  from target t
$$;
grant execute on function app.links_on_domain(uuid, integer), app.domain_records(text, text, text, jsonb)
  to authenticated, service_role;

create view api.domains with (security_invoker = true) as
  select d.id, d.user_id, d.host, d.is_served as is_verified, d.has_certificate, d.certificate_ends_at, d.is_probed, d.problem,
    app.domain_records(d.host, d.registered_domain, d.token, d.found) as records, d.root_url, d.missing_url, d.is_default,
    app.links_on_domain(d.user_id, d.id) as link_count, d.checked_at, d.created_at
  from app.domains d;
comment on view api.domains is 'Your hosts for links and bio pages. A new one is served when its DNS records are right.';
comment on column api.domains.id is '@hasDefault';
comment on column api.domains.user_id is '@hasDefault';
comment on column api.domains.host is 'In ASCII (punycode), without a port.';
comment on column api.domains.is_verified is '@notNull It is served: its records are right, or were at most 30 days ago.';
comment on column api.domains.has_certificate is '@hasDefault At the last check its server had a certificate that browsers accept.';
comment on column api.domains.is_probed is '@hasDefault The last check asked the host over https; else DNS is trusted.';
comment on column api.domains.problem is 'Why the last check did not verify it, or could not see its certificate.';
comment on column api.domains.records is
  '@notNull DNS records to create: a list of {type, name, value, found}; found: it was there at the last check.';
comment on column api.domains.root_url is
  'Where the bare host leads: an address, ''bio'' for your bio page, or null for a plain page.';
comment on column api.domains.missing_url is
  'Where codes that are not there lead: an address, ''bio'' for your bio page, or null for a plain page.';
comment on column api.domains.is_default is
  '@hasDefault New links without a domain get this one, once it is verified. Another default of the account ends.';
comment on column api.domains.link_count is '@notNull Links and bio pages of the domain.';
grant select, delete, insert (user_id, host, root_url, missing_url, is_default), update (root_url, missing_url, is_default)
  on api.domains to authenticated, service_role;

-- The question for a check of a domain now; the server makes it, and answers with the row (server/domains/domain-procedures.ts).
create function api.check_domain(_id integer) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
begin
  if (select count(*) from app.domains d where d.user_id = me and d.asked_at > clock_timestamp() - interval '1 minute') >= 20 then
    raise exception using errcode = 'PT429', message = 'You can check 20 domains in a minute.';
  end if;
  update app.domains d set asked_at = clock_timestamp() where d.id = _id and d.user_id = me
    and coalesce(d.asked_at, '-infinity') < clock_timestamp() - interval '10 seconds';
  if not found then
    if exists (select from app.domains d where d.id = _id and d.user_id = me) then
      raise exception using errcode = 'PT429', message = 'Please wait 10 seconds before you check this domain again.';
    end if;
    raise exception using errcode = 'PT404', message = 'This domain does not exist.';
  end if;
  return jsonb_build_object('id', _id);
end $$;
comment on function api.check_domain(integer) is
  'Checks the DNS records and the certificate of a domain of yours now, and answers with its row.';
grant execute on function api.check_domain(integer) to authenticated;

create function app.domain_row(_id integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  select to_jsonb(d) from api.domains d where d.id = _id
$$;

-- Where the records of domains lead (server/domains/domain-targets.ts).
create function app.settle_domain_targets(_host text, _addresses inet[]) returns void
language sql volatile security definer set search_path = '' as $$
  update app.installation i set links_host = _host, domain_addresses = _addresses
    where (i.links_host, i.domain_addresses) is distinct from (_host, _addresses)
$$;

-- Checks --

create function app.due_domains(_limit integer) returns setof integer
language sql stable security definer set search_path = '' as $$
  select d.id from app.domains d where d.next_check_at <= now() order by d.next_check_at limit _limit
$$;

-- After a check that ended with an error.
create function app.postpone_domain_check(_id integer) returns void
language sql volatile security definer set search_path = '' as $$
  update app.domains d set next_check_at = now() + interval '1 hour' where d.id = _id
$$;

-- The facts that decide about a domain, with the other row of its host that is served.
create function app.domain_to_check(_id integer) returns table (id integer, account uuid, host text, registered_domain text,
  token text, is_served boolean, is_proven boolean, is_blocked boolean, failing_since timestamptz, warnings smallint,
  checks smallint, holder integer, holder_account uuid, holder_token text, installation uuid)
language sql stable security definer set search_path = '' as $$
  select d.id, d.user_id, d.host, d.registered_domain, d.token, d.is_served, d.is_proven,
    coalesce(app.block_of(null, null, 'https://' || d.host) = 'host', false), d.failing_since, d.warnings, d.checks,
    h.id, h.user_id, h.token, i.public_id
  from app.domains d cross join app.installation i
    left join app.domains h on h.host = d.host and h.is_served and h.id <> d.id
  where d.id = _id
$$;

-- With TXT and direction right, a host may have a certificate before it was asked itself.
create function app.prove_domain(_id integer) returns void
language sql volatile security definer set search_path = '' as $$
  update app.domains d set is_proven = true where d.id = _id and not d.is_proven
$$;

-- Whom to write about a domain.
create function app.domain_mailbox(_account uuid) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce(p.email, app.space_mailbox(p.id)) from app.profiles p where p.id = _account
$$;

-- Stores the result of a check. `_holder` is the row of the host that was served before: it must still be, or nothing is stored, because
-- it was decided about another one. Its domain ends when this one is served.
create function app.save_domain_check(_id integer, _holder integer, _result jsonb) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  known app.domains;
  present integer;
  result app.domains;
begin
  select * into known from app.domains d where d.id = _id;
  if not found then return false; end if;
  -- Two accounts may verify a host at once.
  perform pg_advisory_xact_lock(hashtextextended('hoplet.domain ' || known.host, 0));
  select * into known from app.domains d where d.id = _id for update;
  select d.id into present from app.domains d where d.host = known.host and d.is_served and d.id <> _id;
  if known.id is null or present is distinct from _holder then return false; end if;
  result := jsonb_populate_record(known, _result);
  if result.is_served and _holder is not null then
    update app.domains d set is_served = false, is_proven = false, problem = 'taken', checks = 0, failing_since = now(),
      next_check_at = now() + interval '1 day' where d.id = _holder;
  end if;
  update app.domains d set is_served = result.is_served, is_proven = result.is_proven, problem = result.problem, found = result.found,
    is_probed = result.is_probed, has_certificate = result.has_certificate, certificate_ends_at = result.certificate_ends_at,
    checked_at = clock_timestamp(), next_check_at = result.next_check_at, failing_since = result.failing_since,
    warnings = result.warnings, checks = result.checks
    where d.id = _id;
  return true;
end $$;

-- Webhooks hear when a domain begins and ceases to be served.
create function app.queue_domain_event() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app.queue_webhook_event(new.user_id, case when new.is_served then 'domain.verified' else 'domain.lost' end,
    'domain ' || new.id, json_build_object('domain', json_build_object('id', new.id, 'host', new.host, 'problem', new.problem)));
  return null;
end $$;
create trigger queue_event after update of is_served on app.domains
  for each row when (old.is_served <> new.is_served) execute function app.queue_domain_event();

-- A blocked host serves nothing, nor do the hosts below it; when the block ends they are checked again.
create function app.block_domains() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  blocked constant text := case tg_op when 'DELETE' then old.value else new.value end;
begin
  update app.domains d set
      is_served = d.is_served and tg_op = 'DELETE', is_proven = d.is_proven and tg_op = 'DELETE', next_check_at = now(),
      problem = case tg_op when 'DELETE' then d.problem else 'blocked' end
    where d.host = blocked or d.host like '%.' || replace(blocked, '_', '\_');
  return null;
end $$;
create trigger block_domains_on after insert on app.blocks
  for each row when (new.kind = 'host') execute function app.block_domains();
create trigger block_domains_off after delete on app.blocks
  for each row when (old.kind = 'host') execute function app.block_domains();

-- Removes domains without links that were not proven for 30 days, and former ones without links after 7.
create function app.remove_old_domains() returns void
language sql volatile security definer set search_path = '' as $$
  delete from app.domains d where not d.is_served
    and coalesce(d.failing_since + interval '30 days', d.created_at) < now() - interval '30 days'
    and app.links_on_domain(d.user_id, d.id) = 0;
  delete from app.former_domains f where f.removed_at < now() - interval '7 days'
    and app.links_on_domain(f.user_id, f.id) = 0
$$;

grant execute on function
  app.domain_row(integer), app.settle_domain_targets(text, inet[]), app.due_domains(integer), app.domain_to_check(integer),
  app.postpone_domain_check(integer), app.prove_domain(integer), app.domain_mailbox(uuid), app.save_domain_check(integer, integer, jsonb), app.remove_old_domains()
  to hoplet_worker;
