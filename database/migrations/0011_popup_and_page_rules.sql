-- What popups and bio pages may hold (reliability PP2, PP3, PP9, PU2, PU4). Rows from before are brought in line first;
-- what people read when a rule refuses theirs is in server/tables/sentences.ts, by the name of the constraint.

-- Whether somebody would see anything of a text: one character that is no white space, control, filler or other
-- invisible one. isVisible() in domain/visible-text.ts says the same; a test compares the two.
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

-- A mail address with nothing behind it: a '?' would start headers, such as a bcc to somebody else.
create function app.is_mail_address(url text) returns boolean
language sql immutable set search_path = '' as $$
  select url ~* '^mailto:[a-z0-9.!$''*+/=_{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)*$' and length(url) <= 320
$$;

-- Hue 0 to 360, saturation and lightness 0 to 100.
create or replace function app.is_hsl(colour text) returns boolean
language sql immutable set search_path = '' as $$
  select case when colour ~ '^[0-9]{1,3}(\.[0-9]{1,4})? [0-9]{1,3}(\.[0-9]{1,4})?% [0-9]{1,3}(\.[0-9]{1,4})?%$' then
    split_part(colour, ' ', 1)::numeric <= 360
    and rtrim(split_part(colour, ' ', 2), '%')::numeric <= 100
    and rtrim(split_part(colour, ' ', 3), '%')::numeric <= 100
  else false end
$$;

-- Every role that writes a row, or a count in it, evaluates the row's checks.
grant execute on function app.is_visible(text) to authenticated, service_role, hoplet_visits, hoplet_worker;
grant execute on function app.is_image_address(text), app.is_mail_address(text) to authenticated, service_role, hoplet_worker;

update app.popups set collect_email = false where collect_email and not starts_with(coalesce(cta_url, ''), 'https://');
update app.popups set image_url = null where image_url <> '' and not app.is_image_address(image_url);
update app.popups set title = 'Popup' where not app.is_visible(title);
update app.popups set cta_text = 'Get Started' where not app.is_visible(cta_text);
-- All three at once: one default beside two colours of the owner's could not be read.
update app.bio_pages set theme_primary = default, theme_background = default, theme_text = default
  where not (app.is_hsl(theme_primary) and app.is_hsl(theme_background) and app.is_hsl(theme_text));
update app.bio_pages set title = slug where not app.is_visible(title);
delete from app.bio_social_links where not app.is_destination(url) and not app.is_mail_address(url);

alter table app.popups
  drop constraint popups_title_check,
  drop constraint popups_cta_text_check,
  drop constraint popups_image_url_check,
  add constraint popups_title_check check (length(btrim(title)) <= 200),
  add constraint popups_title_visible check (app.is_visible(title)),
  add constraint popups_cta_text_check check (length(btrim(cta_text)) <= 50),
  add constraint popups_cta_text_visible check (app.is_visible(cta_text)),
  add constraint popups_image_url_check check (image_url = '' or app.is_image_address(image_url)),
  -- What visitors type travels to this address.
  add constraint popups_email_over_https check (not collect_email or starts_with(coalesce(cta_url, ''), 'https://'));
alter table app.bio_pages
  drop constraint bio_pages_title_check,
  add constraint bio_pages_title_check check (length(btrim(title)) <= 200),
  add constraint bio_pages_title_visible check (app.is_visible(title));
alter table app.bio_social_links
  drop constraint bio_social_links_check,
  add constraint bio_social_links_check
    check (app.is_destination(url) or (platform = 'email' and app.is_mail_address(url)));

-- Well-known names that no bio page may pass for. Words that are people's names or everyday words as well are left
-- out, but for those that are imitated most. An operator may add rows, or delete some.
create table app.reserved_brands (name text primary key check (name ~ '^[a-z0-9]+$'));
alter table app.reserved_brands enable row level security;
alter table app.reserved_brands force row level security;
create policy owner_all on app.reserved_brands to hoplet_owner using (true) with check (true);

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
  -- Social networks ands
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

-- As before, and no link gets the name of a brand: neither a chosen code nor a random one.
create or replace function app.claim_name(wanted text, wanted_kind text, account uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  if app.is_reserved_brand(wanted) then return false; end if;
  insert into app.names as n (name, kind, owner_id) values (wanted, wanted_kind, account)
  on conflict (name) do update set kind = excluded.kind, owner_id = excluded.owner_id, released_at = null
    where n.released_at is not null
      and (n.owner_id = excluded.owner_id or n.released_at < now() - interval '30 days');
  return found;
end $$;

create or replace function app.before_bio_page_write() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    new.visit_count := 0;
    -- As with links: before the name, so that nobody claims one for somebody else or asks what they had.
    if new.user_id <> app.current_user_id() then
      raise insufficient_privilege using message = 'new row violates row-level security policy for table "bio_pages"';
    end if;
    -- Before it is made lower case: lower() turns some foreign letters into ASCII ones.
    if new.slug !~ '^[A-Za-z0-9_-]{1,50}$' then
      raise check_violation using message = 'invalid slug', constraint = 'bio_pages_slug_check';
    end if;
    new.slug := lower(new.slug);
    if app.is_reserved_brand(new.slug) then
      raise check_violation using message = 'This name is reserved. Please choose another one.';
    end if;
    if not app.claim_name(new.slug, 'bio', new.user_id) then
      raise unique_violation using message = 'This slug is already in use. Please try another one.',
        constraint = 'bio_pages_slug_key';
    end if;
  elsif new.slug <> old.slug or new.user_id <> old.user_id then
    raise check_violation using message = 'A bio page keeps its slug and its owner.';
  end if;
  -- A page says "Join @title". Pages from before keep theirs.
  if (tg_op = 'INSERT' or new.title <> old.title) and app.is_reserved_brand(new.title) then
    raise check_violation using message = 'This name is reserved. Please choose another one.';
  end if;
  return new;
end $$;
drop trigger before_write on app.bio_pages;
create trigger before_write before insert or update of slug, user_id, title on app.bio_pages
  for each row execute function app.before_bio_page_write();
