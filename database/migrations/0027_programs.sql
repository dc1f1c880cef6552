-- Programs that make links: requests that may be repeated, links that other systems know by ids of their own, and many links at once.

-- Repeated requests --

-- What a writing request with an Idempotency-Key was answered with, for a day. It is written in the transaction of the request.
create table app.idempotent_requests (
  user_id uuid not null references auth.users on delete cascade,
  key text not null check (length(key) between 1 and 255),
  -- A hash of its method, address and body.
  request bytea not null,
  -- As the server reads it; a request that is under way has none, and nobody else sees its row.
  result text check (octet_length(result) <= 1048576),
  made_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotent_requests_by_time on app.idempotent_requests (made_at);
alter table app.idempotent_requests enable row level security;
alter table app.idempotent_requests force row level security;
create policy owner_all on app.idempotent_requests to hoplet_owner using (true) with check (true);

-- Begins a request, or returns what it was answered with before. One that is under way is waited for.
create function auth.begin_idempotent_request(_key text, _request bytea) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  earlier app.idempotent_requests;
begin
  delete from app.idempotent_requests r where r.user_id = app.current_user_id() and r.key = _key and r.made_at < now() - interval '24 hours';
  insert into app.idempotent_requests (user_id, key, request) values (app.current_user_id(), _key, _request) on conflict do nothing;
  if found then return null; end if;
  select * into earlier from app.idempotent_requests r where r.user_id = app.current_user_id() and r.key = _key;
  if earlier.request <> _request then
    raise exception using errcode = 'PT409', message = 'This idempotency key was used for another request.', hint = 'idempotency_key_reused';
  end if;
  return earlier.result;
end $$;
create function auth.end_idempotent_request(_key text, _result text) returns void
language sql volatile security definer set search_path = '' as $$
  update app.idempotent_requests r set result = _result where r.user_id = app.current_user_id() and r.key = _key
$$;
grant execute on function auth.begin_idempotent_request(text, bytea), auth.end_idempotent_request(text, text) to authenticated;

-- Those of more than a day ago, and of a person with many or large ones the oldest.
create function app.forget_idempotent_requests(_rows integer) returns bigint
language sql volatile security definer set search_path = '' as $$
  with gone as (
    delete from app.idempotent_requests r where (r.user_id, r.key) in (
      select x.user_id, x.key from (
        select i.user_id, i.key, i.made_at, row_number() over newer as place, sum(coalesce(octet_length(i.result), 0)) over newer as bytes
        from app.idempotent_requests i window newer as (partition by i.user_id order by i.made_at desc)) x
      where x.made_at < now() - interval '24 hours' or x.place > 5000 or x.bytes > 16000000 limit _rows)
    returning 1)
  select count(*) from gone
$$;
grant execute on function app.forget_idempotent_requests(integer) to hoplet_worker;

-- Links --

-- The program of the last release keeps the key of the request that made a link with the link (0007), by a setting that this one
-- never makes. The column, the function and the two lines of the trigger about them go once no such server runs.

-- The id that another system knows the link by, chosen by its owner.
alter table app.shortened_urls add column external_id text,
  add constraint shortened_urls_external_id_check check (length(external_id) between 1 and 200 and external_id !~ '[[:cntrl:]]') not valid;
alter table app.shortened_urls validate constraint shortened_urls_external_id_check;
create unique index shortened_urls_external_id_key on app.shortened_urls (user_id, external_id);
grant select (external_id) on app.shortened_urls to anon;
grant insert (external_id), update (external_id) on app.shortened_urls to authenticated;

create or replace function app.before_link_insert() returns trigger
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
  if new.external_id is not null then
    -- The link is there: an upsert changes it, and anything else fails for it. So nothing is charged and no name is claimed.
    perform 1 from app.shortened_urls s where s.user_id = new.user_id and s.external_id = new.external_id for update;
    if found then
      new.short_code := coalesce(new.short_code, app.random_code());
      return new;
    end if;
  end if;
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

create or replace view api.shortened_urls with (security_invoker = true) as
  select id, user_id, short_code, original_url, show_popup, popup_id,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then click_count end as click_count,
    created_at,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then first_click_at end as first_click_at,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then last_click_at end as last_click_at,
    -- Whether visitors are told that the link is blocked.
    case when user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role'
      then app.block_of(short_code, user_id, original_url) is not null end as is_blocked,
    external_id
  from app.shortened_urls;


-- Makes up to 1,000 links, and changes those whose external id is known; each row gets an answer of its own:
-- [{"index": 0, "status": "created" | "updated", "link": {…}}, {"index": 1, "status": "failed", "error": {…}}]. With _all_or_nothing one row
-- that fails fails all. The server has checked addresses: a row with an error is one that it refused.
create function api.create_links(_links jsonb, _all_or_nothing boolean default false) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  me uuid := nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub';
  known constant text[] := '{original_url,short_code,external_id,show_popup,popup_id}';
  answers jsonb := '[]';
  link jsonb;
  place integer := 0;
  taken integer := 0;
  failed integer := 0;
  made jsonb;
  status text;
  problem jsonb;
  message text; detail text; hint text; named text; named_column text;
begin
  if jsonb_typeof(_links) <> 'array' or jsonb_array_length(_links) > 1000 then
    raise exception using errcode = '22023', message = '_links is a list of at most 1,000 links';
  end if;
  -- Rows take locks that wait for each other; one person has one such request at a time.
  if not pg_try_advisory_xact_lock(hashtextextended('hoplet.create_links ' || me, 0)) then
    raise exception using errcode = 'PT429', message = 'Another request of yours is making links. Please try again when it has ended.';
  end if;
  for link in select * from jsonb_array_elements(_links) loop
    made := null;
    problem := link -> 'error';
    if problem is null then
      begin
        if jsonb_typeof(link) <> 'object' then raise exception using errcode = '22023', message = 'A link is a JSON object'; end if;
        if exists (select from jsonb_object_keys(link) k where k <> all (known)) then
          raise exception using errcode = '42703', message = 'A link has only these keys: ' || array_to_string(known, ', ');
        end if;
        if link ->> 'short_code' is not null and taken >= 30 then
          raise exception using errcode = 'PT429', message = 'Too many codes of this request are taken. Please send the others again.';
        end if;
        status := 'updated';
        if link ->> 'external_id' is not null then
          update api.shortened_urls u set original_url = coalesce(link ->> 'original_url', u.original_url),
              show_popup = coalesce((link ->> 'show_popup')::boolean, u.show_popup),
              popup_id = case when link ? 'popup_id' then (link ->> 'popup_id')::uuid else u.popup_id end
            where u.user_id = me and u.external_id = link ->> 'external_id'
            -- Who may write but not read learns no more than what they wrote.
            returning jsonb_strip_nulls(jsonb_build_object('id', u.id, 'short_code', u.short_code,
              'original_url', case when link ? 'original_url' then u.original_url end, 'external_id', u.external_id)) into made;
          if lower(link ->> 'short_code') <> made ->> 'short_code' then
            raise check_violation using message = 'A link keeps its short code and its owner.';
          end if;
        end if;
        if made is null then
          status := 'created';
          insert into api.shortened_urls as u (user_id, original_url, short_code, external_id, show_popup, popup_id)
            values (me, link ->> 'original_url', link ->> 'short_code', link ->> 'external_id', coalesce((link ->> 'show_popup')::boolean, false),
              (link ->> 'popup_id')::uuid)
            returning jsonb_build_object('id', u.id, 'short_code', u.short_code, 'original_url', u.original_url, 'external_id', u.external_id) into made;
        end if;
      exception when data_exception or integrity_constraint_violation or syntax_error_or_access_rule_violation or raise_exception or sqlstate 'PT429' then
        get stacked diagnostics message = message_text, detail = pg_exception_detail, hint = pg_exception_hint, named = constraint_name,
          named_column = column_name;
        problem := jsonb_build_object('code', sqlstate, 'message', message, 'details', nullif(detail, ''), 'hint', nullif(hint, ''),
          'constraint', nullif(named, ''), 'column', nullif(named_column, ''));
        made := null;
        if named = 'shortened_urls_short_code_key' then taken := taken + 1; end if;
      end;
    end if;
    if problem is null then
      answers := answers || jsonb_build_object('index', place, 'status', status, 'link', made);
    else
      failed := failed + 1;
      answers := answers || jsonb_build_object('index', place, 'status', 'failed', 'error', problem);
    end if;
    place := place + 1;
  end loop;
  if _all_or_nothing and failed > 0 then
    raise exception using errcode = 'PT400', message = format('%s of %s links failed, so none was made', failed, place),
      detail = jsonb_path_query_array(answers, '$[*] ? (@.status == "failed")')::text;
  end if;
  return answers;
end $$;
revoke execute on function api.create_links(jsonb, boolean) from public;
grant execute on function api.create_links(jsonb, boolean) to authenticated;

-- What the API's description says of each (GET /rest/v1/).
comment on view api.profiles is 'Display names and email addresses: your own, and for admins everyone''s.';
comment on view api.user_plans is 'Which plan an account has.';
comment on view api.user_roles is 'Which roles an account has.';
comment on view api.user_usage is 'How much of the plan''s limits is used.';
comment on view api.shortened_urls is 'Links. Everyone may look one up by its short_code; lists are of your own.';
comment on view api.popups is 'Popups that visitors see before a link leads on. Everyone may look one up by its id.';
comment on view api.bio_pages is 'Bio pages, one per account. Everyone may look one up by its slug.';
comment on view api.bio_links is 'The links of a bio page. Everyone may list those of a page by bio_page_id.';
comment on view api.bio_social_links is 'The social profiles of a bio page. Everyone may list those of a page by bio_page_id.';
comment on view api.affiliate_codes is 'Your affiliate code, and what it has earned.';
comment on view api.commissions is 'Your commissions.';
comment on function api.create_links(jsonb, boolean) is 'Makes up to 1,000 links, or changes those whose external_id is known. Each row gets an answer of its own; with _all_or_nothing, one that fails fails all.';
comment on function api.can_create_url(uuid, boolean) is 'Whether the plan allows one more link, with or without a code of your choice.';
comment on function api.increment_url_usage(uuid, boolean) is 'Counts how many links the account has once more. Creating a link counts it already.';
comment on function api.increment_qr_usage(uuid) is 'Counts one downloaded QR code.';
comment on function api.free_code(text) is 'A code like the one that is asked for and that nobody has.';
comment on function api.list_links(text, text, boolean, boolean, boolean, jsonb, integer) is 'A page of your links, searched, sorted and filtered.';
comment on function api.search_links(text, timestamptz, uuid, integer) is 'Your links whose code or destination contains a text, the newest first.';
comment on function api.link_history(text) is 'Where a link of yours led before.';
comment on function api.count_visit(text) is 'Counts one visit of a link.';
comment on function api.increment_bio_visit(text) is 'Counts one visit of a bio page.';
comment on function api.save_bio_page(jsonb, jsonb, jsonb) is 'Saves the bio page with its links and social profiles, all or nothing. With a version, only when nobody has changed it since.';
comment on function api.popup_uses(jsonb) is 'Which links and bio pages show a popup.';
comment on function api.popup_report(uuid, timestamptz, timestamptz, text[]) is 'How often a popup was shown, clicked, closed or left, by day, link and page.';
comment on function api.click_report(text, text, timestamptz, timestamptz, uuid, jsonb, text[], integer, boolean) is 'Clicks of the account, a link, the bio page or one of its links: totals, or by hour, day, month, hour of the week, or a dimension such as country.';
comment on function api.click_hits(text, timestamptz, timestamptz, uuid, jsonb, text[], text, integer) is 'Single hits, the newest first.';
comment on function api.click_integrity(text, uuid) is 'Whether counters, days and hits agree.';
comment on function api.click_trends(text, uuid[]) is 'Clicks of the last 30 days, by day.';
comment on function api.click_mails() is 'Which emails about clicks you get.';
comment on function api.set_click_mails(boolean, boolean) is 'Chooses which emails about clicks you get.';
comment on function api.set_time_zone(text) is 'Sets the time zone of your reports.';
comment on function api.affiliate_summary() is 'Totals of the affiliate program for you.';
comment on function api.commission_lines(timestamptz, uuid, integer) is 'Your commissions with their state, the newest first.';
comment on function api.track_referral(uuid, text) is 'Notes who referred a new account.';
