create policy visits_read on app.domains for select to hoplet_visits using (true);
create policy worker_read on app.domains for select to hoplet_worker using (true);

-- Servers read the served hosts again.
create function app.notify_domains() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_domains', '');
  return null;
end $$;
create trigger notify after insert or delete or update of host, is_served on app.domains
  for each statement execute function app.notify_domains();

-- The key of a name in a text of a person or program: `menu` on this server's host, `go.example/menu` on a domain, in any case. Null
-- for a host that is neither: no name of this server has such an address.
create function app.key_of(named text) returns text
language sql stable security definer set search_path = '' as $$
  select case when n.host is null then n.name
    when regexp_replace(n.host, '^www\.', '') in (select regexp_replace(o.host, ':[0-9]+$', '') from app.own_hosts o)
      then n.name
    else (select d.id || '/' || n.name from app.domains d where d.host = n.host and d.is_served) end
  from (select lower(p.parts[2]) as name, regexp_replace(regexp_replace(lower(p.parts[1]), ':[0-9]+$', ''), '\.$', '') as host
    from (select regexp_match(btrim(named), '^(?:([^/\s]{1,255})/)?([^/\s]*)$') as parts) p) n
$$;

-- The name of a key as visitors see it, behind the host of its domain.
create function app.shown_name(key text) returns text
language sql stable security definer set search_path = '' as $$
  select case when strpos(key, '/') = 0 then key
    else coalesce((select d.host || '/' || split_part(key, '/', 2) from app.domains d
      where d.id = split_part(key, '/', 1)::integer), split_part(key, '/', 2)) end
$$;

-- The name of a key, without its domain.
create function app.name_in(key text) returns text language sql immutable parallel safe
return substr(key, strpos(key, '/') + 1);
