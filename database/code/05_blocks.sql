create policy visits_read on app.own_hosts for select to hoplet_visits using (true);
create policy worker_all on app.own_hosts to hoplet_worker using (true) with check (true);

-- A second net below the form and the doors (domain/links/destinations.ts): `app.own_hosts` holds the result of ownHostsOf(),
-- a name (any port is ours) or 'localhost:<port>' for every loopback spelling. Domains that are served are ours too.
create function app.is_own_url(url text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  parts text[] := regexp_match(lower(url), '^(https?)://(\[[^\]]+\]|[^/:?#]+)(?::([0-9]+))?');
  named text := regexp_replace(parts[2], '\.$', '');
  own text := regexp_replace(named, '^www\.', '');
  port text := coalesce(parts[3], case parts[1] when 'https' then '443' else '80' end);
begin
  if own ~ ('^(localhost|.+\.localhost|127\.[0-9.]+|0\.0\.0\.0|\[::1?\]'
      || '|\[::ffff:(7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)\])$') then
    own := 'localhost:' || port;
  end if;
  return exists (select 1 from app.own_hosts o where o.host = own)
    or exists (select 1 from app.domains d where d.host = named and d.is_served);
end $$;

create function app.refuse_own_host(url text) returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if app.is_own_url(url) then
    raise check_violation using message = 'Invalid URL', detail = 'A link must not lead back to this server.';
  end if;
end $$;

-- Which block hits a name, its owner or its destination (each may be null): 'user', 'link', 'host' or null. A block or
-- ban of the owner counts when it switches off the person's publications. Every look-up of a visited name asks this,
-- hence one index scan, planned once (planning it each time costs four times as much). Only the last 253 characters of a
-- host count, from the start of a label on: DNS has no longer names, blocks have no longer hosts, and a text of 1,000
-- labels would cost the look-ups of all other names their time.
create function app.block_of(name text, owner uuid, url text) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  account text := owner::text;
  host text := app.destination_host(url);
  keys text[] := array[name, account];
begin
  if length(host) > 253 then
    host := substr(right(host, 254), strpos(right(host, 254), '.') + 1);
  end if;
  while host <> '' loop
    keys := keys || host;
    host := case when strpos(host, '.') > 0 then substr(host, strpos(host, '.') + 1) end;
  end loop;
  return (select max(case b.kind when 'ban' then 'user' else b.kind end) from app.blocks b where b.value = any (keys)
    and case b.kind when 'link' then b.value = name when 'host' then true
      else b.value = account and b.hides_published and coalesce(b.ends_at > now(), true) end);
end $$;

-- Blocked by an admin, whether the person's publications are off or not.
create function app.is_blocked_user(account uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.blocks b where b.kind = 'user' and b.value = account::text)
$$;

-- Triggers on links, popups and both lists of a bio page, each with the name of its column, and perhaps with another
-- sentence for the refusal: nothing that is stored from now on leads to a blocked host, or to one that DNS cannot have.
-- (app.is_destination does not say so: CHECKs ask it of old rows too, at each click that is counted.)
create function app.refuse_blocked_host() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  url text := to_jsonb(new) ->> tg_argv[0];
begin
  if length(app.destination_host(url)) > 253 then
    raise check_violation using message = 'Invalid URL', detail = 'A host has at most 253 characters.';
  end if;
  if app.block_of(null, null, url) = 'host' then
    raise check_violation using message = 'Invalid URL', detail = coalesce(tg_argv[1], 'This host is blocked here.');
  end if;
  return new;
end $$;

grant execute on function app.is_blocked_user(uuid) to hoplet_billing;
grant execute on function
  app.block_of(text, uuid, text)
  to anon, authenticated, hoplet_billing, hoplet_visits, service_role;
