-- Which texts and addresses people may publish, and what was taken down. Sentences for refusals are in
-- server/tables/sentences.ts, by the name of the constraint.

create function app.is_destination(url text) returns boolean
language sql immutable set search_path = '' as $$
  -- Absolute http or https, printable ASCII, no user information, no backslash, at most 2,048 characters.
  select length(url) <= 2048
    and url ~* '^https?://(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)(:[0-9]{1,5})?([/?#][!-\[\]-~]*)?$'
$$;

-- The host of an http(s) address in lower case, without port and final dot; null for anything else.
create function app.destination_host(url text) returns text
language sql immutable set search_path = ''
return nullif(rtrim(lower(substring(url from '(?i)^https?://(\[[^\]]+\]|[^/:?#\[\]]+)')), '.'), '');

-- Whether a reader would see anything of a text: a character that is not white space, control, filler or otherwise
-- invisible. isVisible() in domain/visible-text.ts says the same; a test compares the two.
create function app.is_visible(words text) returns boolean
language sql immutable set search_path = '' as $$
  select words ~ ('[^\u0001-\u0020\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F'
    || '\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB'
    || '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]')
$$;

-- A picture of our own store, or one elsewhere that comes over https and by its name is no SVG.
-- (In standard form, because the API roles cannot name `app.is_destination` themselves.)
create function app.is_image_address(url text) returns boolean
language sql immutable set search_path = ''
return
  url ~ '^/media/[0-9a-f]{64}\.(png|jpe?g|webp)$'
    or (app.is_destination(url) and starts_with(url, 'https://')
      and url ~* '^https://[^/?#]+/[^?#]*\.(png|jpe?g|webp)([?#]|$)' and url !~* '\.svgz?([?#]|$)');

-- A mailto: address with nothing behind it: a '?' would start headers, such as a bcc to someone else.
create function app.is_mail_address(url text) returns boolean
language sql immutable set search_path = '' as $$
  select url ~* '^mailto:[a-z0-9.!$''*+/=_{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)*$' and length(url) <= 320
$$;

-- Hue 0 to 360, saturation and lightness 0 to 100.
create function app.is_hsl(color text) returns boolean
language sql immutable set search_path = '' as $$
  select case when color ~ '^[0-9]{1,3}(\.[0-9]{1,4})? [0-9]{1,3}(\.[0-9]{1,4})?% [0-9]{1,3}(\.[0-9]{1,4})?%$' then
    split_part(color, ' ', 1)::numeric <= 360
    and rtrim(split_part(color, ' ', 2), '%')::numeric <= 100
    and rtrim(split_part(color, ' ', 3), '%')::numeric <= 100
  else false end
$$;

create function app.is_hex_color(color text) returns boolean
language sql immutable set search_path = '' as $$ select color ~ '^#[0-9a-fA-F]{6}$' $$;

-- Every role that writes a row, or a count in it, evaluates the checks and the indexes of the row.
grant execute on function app.is_destination(text), app.is_hex_color(text), app.is_visible(text)
  to authenticated, service_role, hoplet_visits, hoplet_worker;
grant execute on function app.is_hsl(text), app.destination_host(text) to authenticated, service_role, hoplet_visits;
grant execute on function app.is_image_address(text), app.is_mail_address(text) to authenticated, service_role, hoplet_worker;

-- The hosts that this server answers to: no link may lead back here. Written at each start from PUBLIC_URL.
create table app.own_hosts (host text primary key check (host = lower(host)));
alter table app.own_hosts enable row level security;
alter table app.own_hosts force row level security;
create policy owner_all on app.own_hosts to hoplet_owner using (true) with check (true);
grant select on app.own_hosts to hoplet_visits;
create policy visits_read on app.own_hosts for select to hoplet_visits using (true);
grant select, insert, update, delete on app.own_hosts to hoplet_worker;
create policy worker_all on app.own_hosts to hoplet_worker using (true) with check (true);

-- A second net below the form and the doors (domain/destinations.ts): `app.own_hosts` holds what ownHostsOf() gives,
-- a name (any port is ours) or 'localhost:<port>' for every loopback spelling.
create function app.refuse_own_host(url text) returns void
language plpgsql stable security definer set search_path = '' as $$
declare
  parts text[] := regexp_match(lower(url), '^(https?)://(\[[^\]]+\]|[^/:?#]+)(?::([0-9]+))?');
  own text := regexp_replace(regexp_replace(parts[2], '\.$', ''), '^www\.', '');
  port text := coalesce(parts[3], case parts[1] when 'https' then '443' else '80' end);
begin
  if own ~ '^(localhost|.+\.localhost|127\.[0-9.]+|0\.0\.0\.0|\[::1?\]|\[::ffff:(7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)\])$' then
    own := 'localhost:' || port;
  end if;
  if exists (select 1 from app.own_hosts o where o.host = own) then
    raise check_violation using message = 'Invalid URL', detail = 'A link must not lead back to this server.';
  end if;
end $$;

-- What admins do: take links, hosts and people down, look after accounts, decide reports. Everything that an admin does
-- leaves one line in app.audit_log, whichever way it was done: table call, function, command line.

-- Blocked names (a link's code or a bio page's slug), hosts with everything below them, and people.
create table app.blocks (
  kind text not null check (kind in ('link', 'host', 'user')),
  value text not null check (length(value) between 1 and 253),
  reason text check (length(reason) <= 500),
  created_by uuid,
  created_at timestamptz not null default now(),
  primary key (value, kind)
);
alter table app.blocks enable row level security;
alter table app.blocks force row level security;
create policy owner_all on app.blocks to hoplet_owner using (true) with check (true);

-- Which block hits a name, its owner or its destination (each may be null): 'user', 'link', 'host' or null. Every look-up
-- of a visited name asks this, hence one index scan, planned once (planning it each time costs four times as much).
create function app.block_of(name text, owner uuid, url text) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  account text := owner::text;
  host text := app.destination_host(url);
  keys text[] := array[name, account];
begin
  while host <> '' loop
    keys := keys || host;
    host := case when strpos(host, '.') > 0 then substr(host, strpos(host, '.') + 1) end;
  end loop;
  return (select max(b.kind) from app.blocks b where b.value = any (keys)
    and case b.kind when 'link' then b.value = name when 'user' then b.value = account else true end);
end $$;
-- Billing asks too: a blocked account is not charged any more.
grant execute on function app.block_of(text, uuid, text) to anon, authenticated, hoplet_visits, hoplet_billing;

-- Triggers on links, popups and both lists of a bio page, each with the name of its column: nothing that is stored from
-- now on leads to a blocked host.
create function app.refuse_blocked_host() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  url text := to_jsonb(new) ->> tg_argv[0];
begin
  if app.block_of(null, null, url) = 'host' then
    raise check_violation using message = 'Invalid URL', detail = 'This host is blocked here.';
  end if;
  return new;
end $$;
