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

-- Well-known names that no link and no bio page may pass for. Words that are people's names or everyday words as well
-- are left out, except those that are imitated most. An operator may add rows, or delete some.
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
create unique index reserved_brands_key on app.reserved_brands (app.brand_key(name));

alter table app.names enable row level security, force row level security;
create policy owner_all on app.names to hoplet_owner using (true) with check (true);
alter table app.reserved_brands enable row level security, force row level security;
create policy owner_all on app.reserved_brands to hoplet_owner using (true) with check (true);

grant select on app.names to hoplet_visits;

-- The server writes the reserved words.
grant select, insert, update, delete on app.names to hoplet_worker;

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
  -- Written by the update that counts. No index may hold one of them, or the count itself: PostgreSQL then counts a
  -- click without touching any index of the row (docs/decisions/0034).
  first_click_at timestamptz,
  last_click_at timestamptz,
  -- The id that another system knows the link by, chosen by its owner.
  external_id text check (length(external_id) between 1 and 200 and external_id !~ '[[:cntrl:]]'),
  -- Visitors get the page of a link that is no longer available, until the owner switches it on again.
  is_disabled boolean not null default false,
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
create unique index shortened_urls_idempotency_key on app.shortened_urls (user_id, idempotency_key)
  where idempotency_key is not null;
create index shortened_urls_popup_id on app.shortened_urls (popup_id) where popup_id is not null;
create index shortened_urls_by_code on app.shortened_urls (user_id, short_code collate "C");
create index shortened_urls_with_popup on app.shortened_urls (user_id, created_at desc, id desc) where show_popup;

-- Led by the day, so that no other query takes it: an owner's links have an index of their own.
create index shortened_urls_by_day on app.shortened_urls
  (((created_at at time zone 'UTC')::date) desc, created_at desc);
create unique index shortened_urls_external_id_key on app.shortened_urls (user_id, external_id);
create index shortened_urls_host on app.shortened_urls (app.host_key(original_url) collate "C");

-- Search within the links of one person: a trigram index that starts with the owner.
do $$
begin
  if exists (select 1 from pg_extension where extname = 'pg_trgm')
    and exists (select 1 from pg_extension where extname = 'btree_gin') then
    create index shortened_urls_search on app.shortened_urls
      using gin (user_id extensions.uuid_ops, (short_code || E'\n' || original_url) extensions.gin_trgm_ops);
  end if;
end $$;

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

alter table app.link_history enable row level security, force row level security;
create policy owner_all on app.link_history to hoplet_owner using (true) with check (true);

-- Links: the owner's, or the one row whose code a public look-up named. Visitors see nothing of what is blocked; owners
-- still see their own.
alter table app.shortened_urls enable row level security, force row level security;
create policy owner_all on app.shortened_urls to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.shortened_urls to service_role;

grant select (id, user_id, short_code, original_url, show_popup, popup_id, click_count, created_at, first_click_at,
  last_click_at, external_id, is_disabled) on app.shortened_urls to anon;

-- A link and its popup are made in one step.
grant select, delete,
  insert (short_code, original_url, user_id, show_popup, popup_id, external_id),
  update (user_id, original_url, show_popup, popup_id, external_id, is_disabled)
  on app.shortened_urls to authenticated;

grant select on app.shortened_urls to hoplet_visits;

grant update (click_count, first_click_at, last_click_at) on app.shortened_urls to hoplet_visits;
