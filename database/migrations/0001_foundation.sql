-- The schemas, who may use them, and how SQL learns on whose behalf it runs.
--
-- `auth` holds accounts and sessions, `app` the base tables and their rules, `api` what the table door serves.
-- Everything is owned by hoplet_owner, which cannot log in. server/postgres/roles.ts creates the roles before the
-- first migration. Row security is forced on every table of `app`, so that even the owner needs a policy.
--
-- Each of the following files holds one subject: its tables, then its functions and triggers, then who may read and
-- write which rows. 0013_api.sql holds the views and the procedures that clients call.

alter default privileges revoke execute on functions from public;

create schema auth;
create schema app;
create schema api;
create schema extensions;

grant usage on schema auth to hoplet_auth, authenticated;
grant usage on schema app to hoplet_auth, hoplet_visits, hoplet_worker, hoplet_billing;
grant usage on schema api to anon, authenticated, service_role;

-- The claims of the verified token. transactionAs() in server/postgres/database.ts sets them for one transaction.
create function app.claims() returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(nullif(current_setting('request.jwt.claims', true), '')::jsonb, '{}'::jsonb)
$$;

-- In standard form (`return`), such a body is bound when the function is created. A quoted body would look up `app`
-- with the rights of the caller, and the API roles have none there.
create function app.current_user_id() returns uuid
language sql stable set search_path = ''
return nullif(app.claims() ->> 'sub', '')::uuid;

-- Trigram search needs two contrib modules that every managed PostgreSQL has. Without them search still works, only
-- slower: the indexes that need them are skipped.
do $$
begin
  create extension if not exists pg_trgm schema extensions;
  create extension if not exists btree_gin schema extensions;
exception when others then
  raise notice 'pg_trgm or btree_gin is not available: link search will scan (%)', sqlerrm;
end $$;

-- Days are UTC days by the clock of the database, for every quota.
create function app.today() returns date
language sql stable set search_path = '' as $$ select (now() at time zone 'utc')::date $$;

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

-- The hash in the address of a popup's image, whatever comes before it; null for images of other places.
create function app.media_hash(image_url text) returns text
language sql immutable set search_path = '' as $$
  select substring(image_url from '/media/([0-9a-f]{64})\.')
$$;

-- Spellings that look alike have one key: 'Pay-Pal', '@payp4l' and 'ΡayΡal' with Greek letters are all the same. A 1 is
-- read as l or i, so those two are one.
create function app.brand_key(words text) returns text
language sql immutable set search_path = '' as $$
  select translate(
    regexp_replace(
      lower(translate(
        normalize(translate(words, '™℠', ''), NFKD),
        'АВЕКМНОРСТУХІЅЈаеорсухіѕјһӏԁԛɡΑΒΕΖΗΙΚΜΝΟΡΤΥΧαιορν',
        'abekmhopctyxisjaeopcyxisjhldqgabezhikmnoptyxaiopv')),
      '[^a-z0-9]', '', 'g'),
    '0134578i', 'oleastbl')
$$;

-- The host backwards, so that all names below a domain are one stretch of the index: 'moc.elpmaxe.www.'.
-- (In standard form, because the API roles cannot name `app.destination_host` themselves.)
create function app.host_key(url text) returns text
language sql immutable set search_path = ''
return reverse(app.destination_host(url)) || '.';

-- Hours since 1970. Indexes by hour keep all hits of an hour under one key, which makes them a fifth of the size.
-- (Written so that it is inlined: extract() from a timestamptz counts as stable.)
create function app.hour_of(at timestamptz) returns integer
language sql immutable parallel safe strict
return floor(date_part('epoch', at - timestamptz '1970-01-01 00:00Z') / 3600)::integer;

grant execute on function
  app.claims(), app.current_user_id()
  to anon, authenticated, hoplet_auth, hoplet_billing, hoplet_visits, hoplet_worker, service_role;
grant execute on function app.destination_host(text), app.host_key(text) to authenticated, hoplet_visits, service_role;
grant execute on function
  app.is_destination(text), app.is_hex_color(text), app.is_hsl(text), app.is_visible(text)
  to authenticated, hoplet_visits, hoplet_worker, service_role;
grant execute on function
  app.is_image_address(text), app.is_mail_address(text), app.media_hash(text), app.today()
  to authenticated, hoplet_worker, service_role;
