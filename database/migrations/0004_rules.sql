-- The rules that a race or a second client could break: quotas, names, roles, accounts, counters.
-- Every function here runs as hoplet_owner with an empty search_path.

-- Specification §9. domain/plans.ts holds the same figures for the screens; a test keeps the two equal.
create function app.plan_limits(plan text)
returns table (custom_codes integer, shortened_urls integer, qr_codes integer, limit_type text, can_view_clicks boolean)
language sql immutable set search_path = '' as $$
  select l.custom_codes, l.shortened_urls, l.qr_codes, l.limit_type, l.can_view_clicks
  from (values
    ('free', 2, 50, 0, 'lifetime', false),
    ('pro', 2, 50, 50, 'daily', true),
    ('business', 20, 500, 500, 'daily', true)
  ) as l (plan_type, custom_codes, shortened_urls, qr_codes, limit_type, can_view_clicks)
  where l.plan_type = plan
$$;

create function app.today() returns date
language sql stable set search_path = '' as $$ select (now() at time zone 'utc')::date $$;

-- The day to count under, given the day last counted under. A transaction that began before midnight may get the row
-- after one that began later: then it counts for the new day, and never sets the row back.
-- (In standard form, like app.current_user_id: the API roles call it through a view and cannot name `app` themselves.)
create function app.usage_day(last date) returns date
language sql stable set search_path = ''
return case when last = app.today() + 1 then last else app.today() end;

create function app.plan_of(account uuid) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce((select p.plan_type from app.user_plans p where p.user_id = account), 'free')
$$;

create function app.is_admin() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from app.user_roles r where r.user_id = app.current_user_id() and r.role = 'admin')
$$;

-- Click and visit counts are for owners whose plan shows them, for admins, and for the service itself.
create function app.sees_counts() returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(app.claims() ->> 'role' = 'service_role', false)
    or app.is_admin()
    or (select l.can_view_clicks from app.plan_limits(app.plan_of(app.current_user_id())) l)
$$;

-- The caller may speak for this account only; anything else is 42501, which the table door answers as 403.
create function app.require_self(account uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  if app.claims() ->> 'role' = 'service_role' then return; end if;
  if account is null or account is distinct from app.current_user_id() then
    raise insufficient_privilege using message = 'permission denied: this is not your account';
  end if;
end $$;

-- The sentence of specification §8 that a person reads when a limit is reached.
create function app.limit_message(plan text, limit_type text, most integer, is_custom boolean) returns text
language sql immutable set search_path = '' as $$
  select format('You''ve reached your %s limit of %s %s. %s',
    case limit_type when 'daily' then 'today' else 'total' end,
    most,
    case when is_custom then 'custom codes' else 'shortened URLs' end,
    case plan when 'free' then 'Upgrade to Pro or delete existing links to continue.'
      else 'Please try again tomorrow or delete existing links.' end)
$$;

create function app.refuse_over_limit(kind text, plan text, limit_type text, most integer, used integer) returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = 'P0001', message = 'Limit Reached',
    detail = jsonb_build_object('kind', kind, 'plan', plan, 'limitType', limit_type, 'limit', most, 'current', used)::text,
    hint = app.limit_message(plan, limit_type, most, kind = 'custom');
end $$;

-- Charges one link to its owner, or raises P0001. The counter row is the lock: two creates of one person
-- queue here, and a rolled-back insert gives the charge back. Daily counters start anew on a new UTC day.
create function app.charge_link(account uuid, custom boolean) returns void
language plpgsql security definer set search_path = '' as $$
declare
  plan text;
  most record;
  used app.user_usage;
  customs integer;
  links integer;
  today date;
begin
  -- The account first: whoever deletes it holds it first too, so the two queue and never wait in a circle.
  perform 1 from auth.users u where u.id = account for key share;
  insert into app.user_usage (user_id) values (account) on conflict do nothing;
  select * into used from app.user_usage u where u.user_id = account for update;
  plan := app.plan_of(account);
  select * into most from app.plan_limits(plan);
  today := app.usage_day(used.day);
  if used.day <> today then
    used.daily_custom_codes := 0; used.daily_shortened_urls := 0; used.daily_qr_codes := 0;
  end if;
  customs := case most.limit_type when 'daily' then used.daily_custom_codes else used.total_custom_codes end;
  links := case most.limit_type when 'daily' then used.daily_shortened_urls else used.total_shortened_urls end;
  if custom and customs >= most.custom_codes then
    perform app.refuse_over_limit('custom', plan, most.limit_type, most.custom_codes, customs);
  elsif links >= most.shortened_urls then
    perform app.refuse_over_limit('url', plan, most.limit_type, most.shortened_urls, links);
  end if;
  update app.user_usage u set
    total_shortened_urls = u.total_shortened_urls + 1,
    total_custom_codes = u.total_custom_codes + custom::integer,
    daily_shortened_urls = used.daily_shortened_urls + 1,
    daily_custom_codes = used.daily_custom_codes + custom::integer,
    daily_qr_codes = used.daily_qr_codes,
    day = today
  where u.user_id = account;
end $$;

-- A change of plan waits for the owner's creates under way, and they for it: none is judged by a plan no longer in force.
create function app.before_plan_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from app.user_usage u where u.user_id = new.user_id for update;
  return new;
end $$;
create trigger before_update before update of plan_type on app.user_plans
  for each row execute function app.before_plan_change();

-- Claims a name for a link or a bio page: one insert. False when somebody else has it, or had it in the last 30 days.
create function app.claim_name(wanted text, wanted_kind text, account uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  insert into app.names as n (name, kind, owner_id) values (wanted, wanted_kind, account)
  on conflict (name) do update set kind = excluded.kind, owner_id = excluded.owner_id, released_at = null
    where n.released_at is not null
      and (n.owner_id = excluded.owner_id or n.released_at < now() - interval '30 days');
  return found;
end $$;

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

create function app.before_link_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.short_code := nullif(new.short_code, '');
  new.is_custom := new.short_code is not null;
  new.click_count := 0;
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
  perform app.charge_link(new.user_id, new.is_custom);
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

-- A deleted link gives back its place in the totals, and today's place if it was made today (§8's message says so).
create function app.after_link_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  made_today integer := ((old.created_at at time zone 'utc')::date = app.today())::integer;
begin
  update app.user_usage u set
    total_shortened_urls = greatest(u.total_shortened_urls - 1, 0),
    total_custom_codes = greatest(u.total_custom_codes - old.is_custom::integer, 0),
    daily_shortened_urls = case when u.day = app.today() then greatest(u.daily_shortened_urls - made_today, 0) else u.daily_shortened_urls end,
    daily_custom_codes = case when u.day = app.today()
      then greatest(u.daily_custom_codes - made_today * old.is_custom::integer, 0) else u.daily_custom_codes end
  where u.user_id = old.user_id;
  update app.names set released_at = now() where name = old.short_code and kind = 'link';
  return old;
end $$;
create trigger after_delete after delete on app.shortened_urls
  for each row execute function app.after_link_delete();

-- Visit caches listen on this channel: the payload is a name, or 'popup:<id>'.
create function app.notify_link() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', coalesce(new.short_code, old.short_code));
  return null;
end $$;
create trigger notify after insert or delete or update of original_url, show_popup, popup_id on app.shortened_urls
  for each row execute function app.notify_link();

create function app.before_bio_page_write() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    new.slug := lower(new.slug);
    new.visit_count := 0;
    -- As with links: before the name, so that nobody claims one for somebody else or asks what they had.
    if new.user_id <> app.current_user_id() then
      raise insufficient_privilege using message = 'new row violates row-level security policy for table "bio_pages"';
    end if;
    if not app.claim_name(new.slug, 'bio', new.user_id) then
      raise unique_violation using message = 'This slug is already in use. Please try another one.',
        constraint = 'bio_pages_slug_key';
    end if;
  elsif new.slug <> old.slug or new.user_id <> old.user_id then
    raise check_violation using message = 'A bio page keeps its slug and its owner.';
  end if;
  return new;
end $$;
create trigger before_write before insert or update of slug, user_id on app.bio_pages
  for each row execute function app.before_bio_page_write();

create function app.after_bio_page_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update app.names set released_at = now() where name = old.slug and kind = 'bio';
  return old;
end $$;
create trigger after_delete after delete on app.bio_pages
  for each row execute function app.after_bio_page_delete();

create function app.notify_bio_page() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', coalesce(new.slug, old.slug));
  return null;
end $$;
create trigger notify after insert or delete or update of title, description, popup_id, theme_primary, theme_background, theme_text
  on app.bio_pages for each row execute function app.notify_bio_page();

create function app.notify_bio_list() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', p.slug) from app.bio_pages p where p.id = coalesce(new.bio_page_id, old.bio_page_id);
  return null;
end $$;
create trigger notify after insert or delete or update of title, url, link_order on app.bio_links
  for each row execute function app.notify_bio_list();
create trigger notify after insert or delete or update on app.bio_social_links
  for each row execute function app.notify_bio_list();

-- Deleting a popup takes it off the links and pages that show it, and leaves them alive.
create function app.before_popup_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update app.shortened_urls set show_popup = false, popup_id = null where popup_id = old.id;
  update app.bio_pages set popup_id = null where popup_id = old.id;
  return old;
end $$;
create trigger before_delete before delete on app.popups
  for each row execute function app.before_popup_delete();

create function app.notify_popup() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', 'popup:' || coalesce(new.id, old.id));
  return null;
end $$;
create trigger notify after update or delete on app.popups
  for each row execute function app.notify_popup();

-- One role row a person: writing the other role replaces the row, so a demotion demotes. The last admin stays.
create function app.before_role_write() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('hoplet.user_roles', 0));
  if tg_op <> 'INSERT' and old.role = 'admin' and (tg_op = 'DELETE' or new.role <> 'admin')
      and not exists (select 1 from app.user_roles r where r.role = 'admin' and r.user_id <> old.user_id) then
    raise exception using errcode = 'P0001', message = 'The last admin cannot be removed or demoted.';
  end if;
  if tg_op = 'INSERT' then
    delete from app.user_roles r where r.user_id = new.user_id and r.role <> new.role;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger before_write before insert or update or delete on app.user_roles
  for each row execute function app.before_role_write();

-- Records who brought whom, if the rules allow it: one referrer, an older account, within 24 hours of sign-up.
create function app.record_referral(referred uuid, referrer_code text) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  newcomer timestamptz;
  referrer record;
begin
  select u.created_at into newcomer from auth.users u where u.id = referred;
  select u.id, u.created_at into referrer from app.affiliate_codes a join auth.users u on u.id = a.user_id
    where a.code = upper(btrim(referrer_code));
  if newcomer is null or referrer.id is null or referrer.id = referred
      or referrer.created_at >= newcomer or newcomer < now() - interval '24 hours' then
    return false;
  end if;
  insert into app.referrals (referred_user_id, referrer_user_id) values (referred, referrer.id) on conflict do nothing;
  if not found then return false; end if;
  update app.affiliate_codes a set total_referrals = a.total_referrals + 1 where a.user_id = referrer.id;
  return true;
end $$;

-- An account is born whole: profile, plan free, usage, role user; and nothing in its metadata grants anything.
create function app.after_account_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into app.profiles (id, email, display_name)
    values (new.id, new.email, nullif(left(btrim(new.user_metadata ->> 'display_name'), 100), ''));
  insert into app.user_plans (user_id) values (new.id);
  insert into app.user_usage (user_id) values (new.id);
  insert into app.user_roles (user_id) values (new.id);
  if new.user_metadata ? 'referral_code' then
    perform app.record_referral(new.id, left(new.user_metadata ->> 'referral_code', 64));
  end if;
  return new;
end $$;
create trigger after_insert after insert on auth.users
  for each row execute function app.after_account_insert();

create function app.after_account_email_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update app.profiles set email = new.email where id = new.id;
  return new;
end $$;
create trigger after_email_change after update of email on auth.users
  for each row execute function app.after_account_email_change();

-- Locks in the order that deleting a link does (link, then counter); the cascades would go the other way about.
create function app.before_account_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from app.shortened_urls s where s.user_id = old.id order by s.id for update;
  return old;
end $$;
create trigger before_delete before delete on auth.users
  for each row execute function app.before_account_delete();

-- Deleting a profile is how an admin deletes a person: the account, its sessions and its links go with it.
create function app.after_profile_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from auth.users where id = old.id;
  return old;
end $$;
create trigger after_delete after delete on app.profiles
  for each row execute function app.after_profile_delete();
