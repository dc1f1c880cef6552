create policy visits_read on app.domains for select to hoplet_visits using (true);
create policy worker_read on app.domains for select to hoplet_worker using (true);

-- Servers read the row again.
create function app.notify_domains() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_domains', coalesce(new.id, old.id)::text);
  return null;
end $$;
-- Rows that nobody has proven cost the servers nothing.
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
    else (select d.id || '/' || n.name from (
        select d.id, d.host, d.user_id, d.is_served from app.domains d
        union all select f.id, f.host, f.user_id, false from app.former_domains f) d
      where d.host = n.host and (d.is_served or d.user_id = app.current_user_id())
      order by d.user_id is not distinct from app.current_user_id() desc, d.is_served desc limit 1) end
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
