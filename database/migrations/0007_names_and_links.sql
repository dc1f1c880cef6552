-- Short links, and the namespace that they share with bio pages.

-- One namespace for /{code}: links, bio slugs, reserved words. The name of a deleted link or page is free at once if it
-- was never visited. Else it is held for its owner for 30 days, and a link's keeps its place in the owner's quota.
create table app.names (
  name text primary key check (name ~ '^[a-z0-9_-]{1,64}$'),
  kind text not null check (kind in ('link', 'bio', 'reserved')),
  owner_id uuid references auth.users on delete set null,
  -- Since when it is held; null while a link or a page has it.
  released_at timestamptz,
  -- Of a held name: it has a place among the custom codes too.
  is_custom boolean not null default false
);
create index names_owner_id on app.names (owner_id);
create index names_held on app.names (owner_id) where released_at is not null;
create index names_released on app.names (released_at) where released_at is not null;
-- The server compares the reserved words at each start.
create index names_reserved on app.names (name) where kind = 'reserved';

-- Well-known names that no link and no bio page may pass for. Words that are people's names or everyday words as well are
-- left out, except those that are imitated most. An operator may add rows, or delete some.
create table app.reserved_brands (name text primary key check (name ~ '^[a-z0-9]+$'));

insert into app.reserved_brands (name) select unnest(string_to_array(
  -- Payment and crypto
  'paypal stripe wise transferwise venmo cashapp zelle klarna afterpay revolut monzo n26 alipay wechat wechatpay '
  || 'applepay googlepay samsungpay visa mastercard amex americanexpress westernunion moneygram payoneer skrill neteller '
  || 'paytm phonepe razorpay mercadopago adyen worldpay coinbase binance cryptocom bitfinex bitstamp bybit kucoin okx '
  || 'huobi gateio bitget metamask trustwallet opensea blockchaincom blockfi uniswap pancakeswap etoro robinhood '
  -- Banks
  || 'bankofamerica wellsfargo chase chasebank jpmorgan jpmorganchase citibank citigroup capitalone usbank pncbank tdbank '
  || 'goldmansachs morganstanley hsbc barclays lloydsbank natwest santander bbva caixabank bnpparibas creditagricole '
  || 'societegenerale deutschebank commerzbank sparkasse postbank ingdirect rabobank abnamro unicredit intesasanpaolo '
  || 'creditsuisse swedbank nordea danskebank icicibank hdfcbank axisbank statebankofindia sberbank itau bradesco nubank '
  || 'scotiabank rbcroyalbank commbank westpac charlesschwab '
  -- Mail, search and software
  || 'google gmail googlemail googledrive outlook hotmail microsoft microsoft365 office365 onedrive yahoo yahoomail '
  || 'protonmail icloud apple appleid dropbox docusign adobe github gitlab bitbucket openai chatgpt anthropic cloudflare '
  || 'wordpress godaddy namecheap mailchimp salesforce 1password lastpass bitwarden '
  -- Social networks
  || 'facebook instagram whatsapp messenger twitter tiktok youtube linkedin snapchat pinterest reddit telegram discord '
  || 'truthsocial tumblr twitch vkontakte weibo onlyfans patreon quora skype viber '
  -- Shops, travel, deliveries and entertainment
  || 'amazon amazonprime ebay aliexpress alibaba walmart bestbuy costco ikea etsy shopify shopee lazada mercadolibre flipkart '
  || 'zalando rakuten temu shein airbnb bookingcom expedia tripadvisor doordash ubereats deliveroo fedex dhl dhlexpress usps '
  || 'royalmail netflix spotify disneyplus hbomax primevideo steampowered steamcommunity playstation nintendo xbox roblox '
  || 'epicgames '
  -- Phones and their makers
  || 'samsung huawei xiaomi oneplus motorola nokia tmobile verizon vodafone telekom telefonica', ' '));

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
create unique index reserved_brands_key on app.reserved_brands (app.brand_key(name));

-- Admins, and the service itself, may name a page after a brand.
create function app.is_reserved_brand(words text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from app.reserved_brands b where app.brand_key(b.name) = app.brand_key(words))
    and not (app.is_admin() or coalesce(app.claims() ->> 'role' = 'service_role', false))
$$;

-- Ends the hold on a name that is over, or that is the account's own. Its owner gets the place in the quota back.
create function app.end_hold(held text, account uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  ended app.names;
begin
  delete from app.names n where n.name = held and n.released_at is not null
    and (n.owner_id = account or n.released_at < now() - interval '30 days')
    returning * into ended;
  if ended.kind = 'link' then
    update app.user_usage u set
      total_shortened_urls = greatest(u.total_shortened_urls - 1, 0),
      total_custom_codes = greatest(u.total_custom_codes - ended.is_custom::integer, 0)
    where u.user_id = ended.owner_id;
  end if;
end $$;

-- Ends up to `max_names` holds that are over; the server calls it now and then, until it answers less.
create function app.end_old_holds(max_names integer) returns bigint
language sql volatile security definer set search_path = '' as $$
  with ended as materialized (
    select app.end_hold(old.name, null) from (
      select n.name from app.names n where n.released_at < now() - interval '30 days'
      order by n.released_at limit max_names for update skip locked) old
  )
  select count(*) from ended
$$;
grant execute on function app.end_old_holds(integer) to hoplet_worker;

-- Claims a name for a link or a bio page: one insert. False when another account has it, or had it in the last 30 days,
-- and for the name of a brand.
create function app.claim_name(wanted text, wanted_kind text, account uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  if app.is_reserved_brand(wanted) then return false; end if;
  perform app.end_hold(wanted, account);
  insert into app.names (name, kind, owner_id) values (wanted, wanted_kind, account) on conflict do nothing;
  return found;
end $$;

-- What becomes of the name of a deleted link or page.
create function app.release_name(released text, was_visited boolean, custom boolean) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if was_visited then
    update app.names n set released_at = now(), is_custom = custom where n.name = released and n.kind <> 'reserved';
  else
    delete from app.names n where n.name = released and n.kind <> 'reserved';
  end if;
end $$;

alter table app.names enable row level security;
alter table app.names force row level security;
create policy owner_all on app.names to hoplet_owner using (true) with check (true);
alter table app.reserved_brands enable row level security;
alter table app.reserved_brands force row level security;
create policy owner_all on app.reserved_brands to hoplet_owner using (true) with check (true);
grant select on app.names to hoplet_visits;
create policy visits_read on app.names for select to hoplet_visits using (true);
-- The server writes the reserved words.
grant select, insert, update, delete on app.names to hoplet_worker;
create policy worker_all on app.names to hoplet_worker using (true) with check (true);

-- The host backwards, so that all names below a domain are one stretch of the index: 'moc.elpmaxe.www.'.
-- (In standard form, because the API roles cannot name `app.destination_host` themselves.)
create function app.host_key(url text) returns text
language sql immutable set search_path = ''
return reverse(app.destination_host(url)) || '.';
grant execute on function app.host_key(text) to authenticated, service_role, hoplet_visits;

create table app.shortened_urls (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default app.current_user_id() references auth.users on delete cascade,
  short_code text not null unique check (short_code ~ '^[a-z0-9_-]{3,50}$'),
  original_url text not null,
  show_popup boolean not null default false,
  popup_id uuid,
  click_count bigint not null default 0 check (click_count >= 0),
  -- Chosen by a client, not made by the database; decided by the insert trigger, never by the client.
  is_custom boolean not null default false,
  created_at timestamptz not null default now(),
  -- The Idempotency-Key of the request that made the link; never shown.
  idempotency_key uuid,
  -- Counting a click updates the row, and PostgreSQL evaluates every CHECK of a row that it updates: the pattern of
  -- app.is_destination would take half the time of it. So the whole rule is asked where a destination is written
  -- (app.check_destination), and the CHECK keeps the part that costs next to nothing: http or https, printable ASCII
  -- without a backslash, at most 2,048 characters.
  constraint shortened_urls_destination check (
    length(original_url) <= 2048 and lower(left(original_url, 7)) in ('http://', 'https:/')
    and original_url !~ '[^!-\[\]-~]'),
  constraint shortened_urls_popup_chosen check (not show_popup or popup_id is not null),
  -- Two columns, so that a link can only carry a popup of its own owner, through every door and role.
  constraint shortened_urls_popup_of_owner foreign key (popup_id, user_id)
    references app.popups (id, user_id) on delete set null (popup_id)
) with (fillfactor = 85);
create index shortened_urls_newest on app.shortened_urls (user_id, created_at desc, id desc);
create unique index shortened_urls_idempotency_key on app.shortened_urls (user_id, idempotency_key) where idempotency_key is not null;
create index shortened_urls_popup_id on app.shortened_urls (popup_id) where popup_id is not null;
create index shortened_urls_host on app.shortened_urls (app.host_key(original_url) collate "C");
-- Search within the links of one person: a trigram index that starts with the owner.
do $$
begin
  if exists (select 1 from pg_extension where extname = 'pg_trgm') and exists (select 1 from pg_extension where extname = 'btree_gin') then
    create index shortened_urls_search on app.shortened_urls
      using gin (user_id extensions.uuid_ops, (short_code || E'\n' || original_url) extensions.gin_trgm_ops);
  end if;
end $$;

-- Fails as the CHECK does, so that a client that asks for the constraint's name gets the same.
create function app.check_destination() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not app.is_destination(new.original_url) then
    raise check_violation using schema = 'app', table = 'shortened_urls', constraint = 'shortened_urls_destination',
      message = 'new row for relation "shortened_urls" violates check constraint "shortened_urls_destination"';
  end if;
  return new;
end $$;
create trigger check_destination before insert or update of original_url on app.shortened_urls
  for each row execute function app.check_destination();

-- Six base-36 characters from 56 random bits of a version 4 UUID (the bias is below 2^-24).
create function app.random_code() returns text
language plpgsql volatile set search_path = '' as $$
declare
  bytes bytea := uuid_send(gen_random_uuid());
  n bigint := 0;
  code text := '';
begin
  -- Bytes 9 to 15 hold no version or variant bits: 56 random bits.
  for i in 9..15 loop n := n * 256 + get_byte(bytes, i); end loop;
  for i in 1..6 loop
    code := code || substr('0123456789abcdefghijklmnopqrstuvwxyz', (n % 36)::integer + 1, 1);
    n := n / 36;
  end loop;
  return code;
end $$;

-- A request that comes twice (its answer was lost) makes one link: the table door finds the first by the id in `detail`.
-- The caller holds the counter row, so that a request under way was waited for.
create function app.refuse_repeated_link(link app.shortened_urls) returns void
language plpgsql security definer set search_path = '' as $$
declare
  earlier app.shortened_urls;
begin
  select * into earlier from app.shortened_urls s
    where s.user_id = link.user_id and s.idempotency_key = link.idempotency_key;
  if not found then return; end if;
  if earlier.original_url = link.original_url and earlier.is_custom = link.is_custom
      and (not link.is_custom or earlier.short_code = link.short_code) then
    raise exception using errcode = 'PT409', message = 'This request has made its link already.',
      hint = 'idempotency_key_repeated', detail = earlier.id;
  end if;
  raise exception using errcode = 'PT409', message = 'This idempotency key was used for another link.',
    hint = 'idempotency_key_reused';
end $$;

create function app.before_link_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.short_code := nullif(new.short_code, '');
  new.is_custom := new.short_code is not null;
  new.click_count := 0;
  new.idempotency_key := nullif(current_setting('hoplet.idempotency_key', true), '')::uuid;
  -- Row security says the same, but only after this trigger: a foreign id must not even learn that person's limits.
  if new.user_id <> app.current_user_id() then
    raise insufficient_privilege using message = 'new row violates row-level security policy for table "shortened_urls"';
  end if;
  perform app.refuse_own_host(new.original_url);
  if new.is_custom then
    -- Before it is made lower case: lower() turns some foreign letters into ASCII ones.
    if new.short_code !~ '^[A-Za-z0-9_-]{3,50}$' then
      raise check_violation using message = 'Invalid Custom Code',
        detail = case when new.short_code ~ '^[A-Za-z0-9_-]*$' then 'Custom code must be between 3 and 50 characters'
          else 'Only letters, numbers, hyphens, and underscores are allowed' end;
    end if;
    new.short_code := lower(new.short_code);
  end if;
  -- The counter row comes before the name, here and in a deletion, so that two transactions never wait in a circle.
  perform app.lock_usage(new.user_id);
  if new.idempotency_key is not null then perform app.refuse_repeated_link(new); end if;
  -- One's own deleted code comes back with its place.
  if new.is_custom then perform app.end_hold(new.short_code, new.user_id); end if;
  perform app.charge_link(new.user_id, new.is_custom);
  -- A create that waited for a new plan was charged to it, so it was made after it.
  if new.created_at = now() then
    new.created_at := greatest(new.created_at, (select u.daily_since from app.user_usage u where u.user_id = new.user_id));
  end if;
  if new.is_custom then
    if not app.claim_name(new.short_code, 'link', new.user_id) then
      raise unique_violation using message = 'Code Already Taken', constraint = 'shortened_urls_short_code_key',
        detail = 'This custom code is already in use. Please try another one.';
    end if;
  else
    loop
      new.short_code := app.random_code();
      exit when app.claim_name(new.short_code, 'link', new.user_id);
    end loop;
  end if;
  return new;
end $$;
create trigger before_insert before insert on app.shortened_urls
  for each row execute function app.before_link_insert();

create function app.before_link_update() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.short_code <> old.short_code or new.user_id <> old.user_id then
    raise check_violation using message = 'A link keeps its short code and its owner.';
  end if;
  if new.original_url <> old.original_url then perform app.refuse_own_host(new.original_url); end if;
  if not new.show_popup then new.popup_id := null; end if;
  return new;
end $$;
create trigger before_update before update of short_code, user_id, original_url, show_popup, popup_id on app.shortened_urls
  for each row execute function app.before_link_update();

create trigger refuse_blocked_host before insert or update of original_url on app.shortened_urls
  for each row execute function app.refuse_blocked_host('original_url');

-- A deleted link gives back its place in the totals, and today's place if it was made today (app.limit_message promises
-- that), and only to the plan that gave it. The place of a link that was visited comes back when its name is free.
create function app.after_link_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  was_visited boolean := old.click_count > 0;
  made_today integer := ((old.created_at at time zone 'utc')::date = app.today())::integer;
begin
  if not was_visited then
    update app.user_usage u set
      total_shortened_urls = greatest(u.total_shortened_urls - 1, 0),
      total_custom_codes = greatest(u.total_custom_codes - old.is_custom::integer, 0),
      daily_shortened_urls = case when u.day = app.today() and old.created_at >= coalesce(u.daily_since, '-infinity')
        then greatest(u.daily_shortened_urls - made_today, 0) else u.daily_shortened_urls end,
      daily_custom_codes = case when u.day = app.today() and old.created_at >= coalesce(u.daily_since, '-infinity')
        then greatest(u.daily_custom_codes - made_today * old.is_custom::integer, 0) else u.daily_custom_codes end
    where u.user_id = old.user_id;
  end if;
  perform app.release_name(old.short_code, was_visited, old.is_custom);
  return old;
end $$;
create trigger after_delete after delete on app.shortened_urls
  for each row execute function app.after_link_delete();

-- Where a link led before: its last 50 destinations, gone with the link. The audit log does not have them:
-- it is for what admins do.
create table app.link_history (
  id bigint generated always as identity primary key,
  link_id uuid not null references app.shortened_urls on delete cascade,
  changed_at timestamptz not null default clock_timestamp(),
  -- Null for the service itself.
  changed_by uuid,
  from_url text not null
);
create index link_history_link on app.link_history (link_id, id desc);
alter table app.link_history enable row level security;
alter table app.link_history force row level security;
create policy owner_all on app.link_history to hoplet_owner using (true) with check (true);

create function app.keep_link_history() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into app.link_history (link_id, changed_by, from_url) values (new.id, app.current_user_id(), old.original_url);
  delete from app.link_history h where h.link_id = new.id
    and h.id <= (select k.id from app.link_history k where k.link_id = new.id order by k.id desc offset 50 limit 1);
  return null;
end $$;
create trigger keep_history after update of original_url on app.shortened_urls
  for each row when (old.original_url is distinct from new.original_url) execute function app.keep_link_history();

-- Visit caches listen on this channel: the payload is a name, or 'popup:<id>'.
create function app.notify_link() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', coalesce(new.short_code, old.short_code));
  return null;
end $$;
create trigger notify after insert or delete or update of original_url, show_popup, popup_id on app.shortened_urls
  for each row execute function app.notify_link();

-- Links: the owner's, or the one row whose code a public look-up named. Visitors see nothing of what is blocked; owners
-- still see their own.
alter table app.shortened_urls enable row level security;
alter table app.shortened_urls force row level security;
create policy owner_all on app.shortened_urls to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.shortened_urls to service_role;
create policy service_all on app.shortened_urls to service_role using (true) with check (true);

grant select (id, user_id, short_code, original_url, show_popup, popup_id, click_count, created_at) on app.shortened_urls to anon;
create policy look_up on app.shortened_urls for select to anon
  using (short_code = (select app.lookup_key('shortened_urls')) and app.block_of(short_code, user_id, original_url) is null);

grant select, delete, insert (short_code, original_url, user_id), update (user_id, original_url, show_popup, popup_id)
  on app.shortened_urls to authenticated;
create policy own_or_look_up on app.shortened_urls for select to authenticated
  using (user_id = (select app.current_user_id()) or (app.is_looked_up('shortened_urls', short_code)
    and app.block_of(short_code, user_id, original_url) is null));
create policy own_insert on app.shortened_urls for insert to authenticated
  with check (user_id = (select app.current_user_id()));
create policy own_update on app.shortened_urls for update to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy own_delete on app.shortened_urls for delete to authenticated
  using (user_id = (select app.current_user_id()));

grant select on app.shortened_urls to hoplet_visits;
create policy visits_read on app.shortened_urls for select to hoplet_visits using (true);
grant update (click_count) on app.shortened_urls to hoplet_visits;
create policy visits_count on app.shortened_urls for update to hoplet_visits using (true) with check (true);

-- One row per visit. `target_id` is the link, the bio page or the link on a bio page. It is not a foreign key, so that a
-- visit to a link deleted a moment ago does not stop the batch it came in.
create table app.click_events (
  id bigint generated always as identity primary key,
  target_id uuid not null,
  kind text not null check (kind in ('link', 'bio', 'bio_link')),
  at timestamptz not null,
  verdict text not null check (verdict in ('counted', 'head', 'prefetch', 'bot')),
  referrer text check (length(referrer) <= 512),
  user_agent text check (length(user_agent) <= 512)
);
create index click_events_target on app.click_events (target_id, at desc);

-- How much of each journal segment has been applied: moved in the transaction that applies, so that a visit counts once.
create table app.click_segments (
  segment_id uuid primary key,
  applied_bytes bigint not null default 0 check (applied_bytes >= 0),
  updated_at timestamptz not null default now()
);

alter table app.click_events enable row level security;
alter table app.click_events force row level security;
create policy owner_all on app.click_events to hoplet_owner using (true) with check (true);
alter table app.click_segments enable row level security;
alter table app.click_segments force row level security;
create policy owner_all on app.click_segments to hoplet_owner using (true) with check (true);
-- The server deletes old rows in batches, the oldest ids first (CLICK_RETENTION_DAYS).
grant select (id, at), delete on app.click_events to hoplet_worker;
create policy worker_read on app.click_events for select to hoplet_worker using (true);
create policy worker_delete on app.click_events for delete to hoplet_worker using (true);
grant insert on app.click_events to hoplet_visits;
create policy visits_insert on app.click_events for insert to hoplet_visits with check (true);
grant select, insert, update, delete on app.click_segments to hoplet_visits;
create policy visits_all on app.click_segments to hoplet_visits using (true) with check (true);
