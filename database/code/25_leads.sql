-- Email addresses that visitors give in popups (docs/audience.md). No error of these functions names an address.

-- Which consent a page showed: each change of a popup is a version.
create function app.count_popup_version() returns trigger
language plpgsql set search_path = '' as $$
declare
  max_texts constant integer := 20;
begin
  new.version := old.version + 1;
  if new.consent_text <> old.consent_text then
    new.former_consents := old.former_consents
      || jsonb_build_object('until', old.version, 'text', old.consent_text);
    if jsonb_array_length(new.former_consents) > max_texts then
      new.former_consents := new.former_consents - 0;
    end if;
  end if;
  return new;
end $$;
create trigger version before update on app.popups
  for each row when (old.* is distinct from new.*) execute function app.count_popup_version();

-- The consent text of a version; null for one that was never shown or is too old to be known.
create function app.consent_of(_popup app.popups, _version integer) returns text
language sql stable set search_path = '' as $$
  select case when _version not between 1 and _popup.version then null
    else coalesce((select f ->> 'text' from jsonb_array_elements(_popup.former_consents) with ordinality x (f, place)
        where (f ->> 'until')::integer >= _version order by place limit 1), _popup.consent_text) end
$$;

-- Room of an account. Bytes are those of the texts, with 300 for the rest of a row.
create function app.max_leads() returns integer language sql immutable return 100000;
create function app.max_lead_bytes() returns bigint language sql immutable return 64 * 1024 * 1024;
create function app.lead_bytes(_lead app.leads) returns integer
language sql immutable set search_path = '' as $$
  select 300 + octet_length(_lead.email) + octet_length(_lead.consent_text) + coalesce(octet_length(_lead.source), 0)
    + octet_length(array_to_string(_lead.tags, ''))
$$;

create function app.count_leads() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  is_full boolean;
begin
  if tg_op = 'INSERT' then
    update app.audiences a set leads = a.leads + n.rows, bytes = a.bytes + n.bytes
      from (select l.user_id, count(*) as rows, sum(app.lead_bytes(l)) as bytes from added l group by 1) n
      where a.user_id = n.user_id;
  elsif tg_op = 'UPDATE' then
    with sized as (
      update app.audiences a set bytes = a.bytes + n.bytes
        from (select x.user_id, sum(x.bytes) as bytes from (
            select l.user_id, app.lead_bytes(l) as bytes from added l
            union all select l.user_id, -app.lead_bytes(l) from removed l) x group by 1) n
        where a.user_id = n.user_id and n.bytes <> 0
        returning n.bytes > 0 and a.bytes > app.max_lead_bytes() as is_full)
    select bool_or(s.is_full) into is_full from sized s;
    if is_full then
      raise exception using errcode = 'P0001', hint = 'too_many_rows',
        message = 'Your audience has 64 MB, which is the most that an account can have. '
          || 'Please delete some leads first.';
    end if;
  else
    update app.audiences a set leads = a.leads - n.rows, bytes = a.bytes - n.bytes
      from (select l.user_id, count(*) as rows, sum(app.lead_bytes(l)) as bytes from removed l group by 1) n
      where a.user_id = n.user_id;
  end if;
  return null;
end $$;
create trigger count_insert after insert on app.leads referencing new table as added
  for each statement execute function app.count_leads();
create trigger count_update after update on app.leads referencing new table as added old table as removed
  for each statement execute function app.count_leads();
create trigger count_delete after delete on app.leads referencing old table as removed
  for each statement execute function app.count_leads();

-- An erased address stays in no queue: emails to it, and events of webhooks.
create function app.erase_copies_of_leads() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from app.mail_outbox m using removed l
    where m.recipient = l.email and m.template = 'lead-confirmation' and starts_with(m.key, 'lead:' || l.id);
  delete from app.webhook_events e using app.webhooks w, removed l
    where w.user_id = l.user_id and e.webhook_id = w.id and e.key = 'lead ' || l.id;
  -- Answers to repeated requests may have embedded it: those of the owner with any address.
  update app.idempotent_requests r set result = 'null'
    where r.user_id in (select l.user_id from removed l) and strpos(r.result, '@') > 0;
  return null;
end $$;
create trigger erase_copies after delete on app.leads referencing old table as removed
  for each statement execute function app.erase_copies_of_leads();

-- The account's row is locked before leads are, as app.add_lead does.
create function app.lock_audience() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from app.audiences a where a.user_id = app.current_user_id() for no key update;
  return null;
end $$;
create trigger lock_audience before update or delete on app.leads
  for each statement execute function app.lock_audience();

-- Before the CHECK: its error would write the whole row into the log of the database.
create function app.check_lead_tags() returns trigger
language plpgsql set search_path = '' as $$
begin
  if cardinality(new.tags) > 20 or octet_length(array_to_string(new.tags, '')) > 1000 or array_ndims(new.tags) > 1
      or exists (select from unnest(new.tags) t where t is null) then
    raise check_violation using message = 'too many tags', constraint = 'leads_tags';
  end if;
  return new;
end $$;
create trigger check_tags before update of tags on app.leads
  for each row execute function app.check_lead_tags();

create function app.new_lead_token() returns text
language sql volatile set search_path = '' as $$
  select translate(encode(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64'), '+/=', '-_')
$$;

-- Keeps the address that a visitor gave. Outcomes: 'added', 'known' (once per popup), 'full', 'not-kept' (no such popup,
-- or it keeps none), 'unknown-version' (the page is too old to know its consent text). An address that has unsubscribed
-- from the account needs a confirmation by email in any case; until then its old row says that it left. `is_due`: the
-- email that asks for the confirmation has to be sent.
create function app.add_lead(_popup uuid, _version integer, _email text, _code text, _source text)
returns table (outcome text, lead uuid, double_opt_in boolean, is_due boolean)
language plpgsql volatile security definer set search_path = '' as $$
declare
  popup app.popups;
  audience app.audiences;
  consent text;
  found_lead app.leads;
  left_lead app.leads;
  is_pending boolean;
  shown_by text;
begin
  select * into popup from app.popups p where p.id = _popup and p.is_active and p.collect_email and p.keep_emails
    and app.block_of(null, p.user_id, p.cta_url) is null;
  if not found then return query select 'not-kept', null::uuid, false, false; return; end if;
  consent := app.consent_of(popup, _version);
  if consent is null then return query select 'unknown-version', null::uuid, false, false; return; end if;
  select app.shown_name(n.name) into shown_by from app.names n where n.name = _code and (
    exists (select from app.shortened_urls s where s.short_code = coalesce(n.alias_of, n.name) and s.user_id = popup.user_id)
    or exists (select from app.bio_pages b where b.slug = n.name and b.user_id = popup.user_id));

  -- The account first, as its deletion does, and its row is the lock: two inserts at once do not both find room.
  perform 1 from auth.users u where u.id = popup.user_id for key share;
  if not found then return query select 'not-kept', null::uuid, false, false; return; end if;
  insert into app.audiences (user_id) values (popup.user_id) on conflict do nothing;
  select * into audience from app.audiences a where a.user_id = popup.user_id for update;
  select * into found_lead from app.leads l
    where l.popup_id = popup.id and lower(l.email) = lower(_email) and l.state <> 'unsubscribed';
  if found then
    return query select 'known', found_lead.id, audience.double_opt_in, found_lead.state = 'pending'
      and coalesce(found_lead.asked_at, found_lead.created_at) < now() - interval '10 minutes';
    return;
  end if;
  if audience.leads >= app.max_leads() or audience.bytes >= app.max_lead_bytes() then
    update app.audiences a set left_out = a.left_out + 1, left_out_at = now() where a.user_id = popup.user_id;
    return query select 'full', null::uuid, audience.double_opt_in, false;
    return;
  end if;
  select * into left_lead from app.leads l
    where l.user_id = popup.user_id and lower(l.email) = lower(_email) and l.state = 'unsubscribed'
    order by l.popup_id = popup.id desc limit 1;
  is_pending := audience.double_opt_in or left_lead.id is not null;
  insert into app.leads (user_id, popup_id, popup_version, email, consent_text, code, source, state, unsubscribe_token,
      confirmed_at, tags)
    values (popup.user_id, popup.id, _version, _email, consent, shown_by, _source,
      case when is_pending then 'pending' else 'confirmed' end, app.new_lead_token(),
      case when not is_pending then now() end,
      case when left_lead.popup_id = popup.id then left_lead.tags else '{}' end)
    returning * into found_lead;
  return query select 'added', found_lead.id, audience.double_opt_in, is_pending;
end $$;

-- lead.created: when an address may be written to, at once or after its confirmation.
create function app.queue_lead_event() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app.queue_webhook_event(new.user_id, 'lead.created', 'lead ' || new.id, json_build_object(
    'id', new.id, 'email', new.email,
    'popup', json_build_object('id', new.popup_id, 'version', new.popup_version,
      'title', (select p.title from app.popups p where p.id = new.popup_id)),
    'code', new.code, 'source', new.source, 'consent_text', new.consent_text, 'tags', new.tags,
    'unsubscribe_token', new.unsubscribe_token,
    'created_at', app.utc_text(new.created_at), 'confirmed_at', app.utc_text(new.confirmed_at)));
  return null;
end $$;
create trigger queue_event after insert on app.leads
  for each row when (new.state = 'confirmed' and coalesce(current_setting('hoplet.import', true), '') = '')
  execute function app.queue_lead_event();
create trigger queue_confirmed_event after update on app.leads
  for each row when (old.state = 'pending' and new.state = 'confirmed') execute function app.queue_lead_event();

-- The mail that asks for a confirmation has this token. Returns the facts of the mail: owner, place, popup and consent.
create function app.open_lead_confirmation(_lead uuid, _hash bytea)
returns table (unsubscribe_token text, code text, owner text, popup text, consent text)
language sql volatile security definer set search_path = '' as $$
  with opened as (
    update app.leads l set confirm_hash = _hash, asked_at = now() where l.id = _lead and l.state = 'pending' returning l.*)
  select o.unsubscribe_token, o.code, p.display_name, x.title, o.consent_text
  from opened o left join app.profiles p on p.id = o.user_id left join app.popups x on x.id = o.popup_id
$$;

-- Whether the token of a mail confirms an address; with _confirms it does. A second press finds the address confirmed.
-- The new consent replaces the one that was withdrawn in the same popup.
create function app.confirm_lead(_hash bytea, _confirms boolean) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  given app.leads;
begin
  if _confirms then
    perform 1 from app.audiences a
      where a.user_id = (select l.user_id from app.leads l where l.confirm_hash = _hash) for update;
    update app.leads l set state = 'confirmed', confirmed_at = now()
      where l.confirm_hash = _hash and l.state = 'pending' returning * into given;
    delete from app.leads l
      where l.popup_id = given.popup_id and lower(l.email) = lower(given.email) and l.state = 'unsubscribed';
  end if;
  return exists (select from app.leads l where l.confirm_hash = _hash and l.state <> 'unsubscribed');
end $$;

-- Whether there is a lead with this token; with _leaves its address gets no more emails from the account: the leads of
-- all popups are unsubscribed. Those that were never confirmed are deleted.
create function app.leave_audience(_token text, _leaves boolean) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  given app.leads;
begin
  select * into given from app.leads l where l.unsubscribe_token = _token;
  if given.id is null or not _leaves then return given.id is not null; end if;
  delete from app.leads l where l.user_id = given.user_id and lower(l.email) = lower(given.email) and l.state = 'pending';
  update app.leads l set state = 'unsubscribed', unsubscribed_at = now()
    where l.user_id = given.user_id and lower(l.email) = lower(given.email) and l.state = 'confirmed';
  return true;
end $$;

-- Deletes leads after the owner's retention, and addresses that were not confirmed within a week.
create function app.delete_old_leads(_rows integer) returns bigint
language plpgsql volatile security definer set search_path = '' as $$
declare
  deleted bigint;
begin
  -- No erasure (app.expire_archives_of_leads).
  perform set_config('hoplet.ends_leads', 'on', true);
  with old as (
    select l.id from app.audiences a join app.leads l on l.user_id = a.user_id
      where a.retention_days is not null and l.created_at < now() - make_interval(days => a.retention_days)
    union (select l.id from app.leads l where l.state = 'pending' and l.created_at < now() - interval '7 days')
    limit _rows)
  delete from app.leads l where l.id in (select o.id from old o);
  get diagnostics deleted = row_count;
  perform set_config('hoplet.ends_leads', '', true);
  return deleted;
end $$;

create policy service_all on app.leads to service_role using (true) with check (true);
create policy own_select on app.leads for select to authenticated using (user_id = (select app.current_user_id()));
create policy own_update on app.leads for update to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy own_delete on app.leads for delete to authenticated using (user_id = (select app.current_user_id()));

create view api.leads with (security_invoker = true) as
  select id, user_id, popup_id, popup_version, email, consent_text, code, source, tags, state, unsubscribe_token,
    confirmed_at, unsubscribed_at, created_at
  from app.leads;
comment on view api.leads is
  'Email addresses that visitors gave in your popups, with their consent. Deleting one erases it from every queue.';
grant select, delete, update (tags) on api.leads to authenticated, service_role;

create function app.tags_with(_tags text[], _add jsonb, _remove jsonb) returns text[]
language sql immutable set search_path = '' as $$
  select array(select distinct t.tag from (select unnest(_tags) union select jsonb_array_elements_text(_add)) t (tag)
    where not _remove ? t.tag order by t.tag)
$$;

-- Adds and removes tags of the caller's leads, at most 1,000. Returns how many changed.
create function api.tag_leads(_ids jsonb, _add jsonb default '[]', _remove jsonb default '[]') returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  changed integer;
begin
  if jsonb_typeof(_ids) <> 'array' or jsonb_array_length(_ids) > 1000 or jsonb_typeof(_add) <> 'array'
      or jsonb_typeof(_remove) <> 'array' or jsonb_array_length(_add) > 100 or jsonb_array_length(_remove) > 100 then
    raise exception using errcode = '22023', message = '_ids, _add and _remove are lists of at most 1,000, 100 and 100';
  end if;
  -- Of the row as the update finds it: another call may have changed it while this one waited.
  update app.leads l set tags = app.tags_with(l.tags, _add, _remove)
    where l.user_id = app.current_user_id() and l.id in (select jsonb_array_elements_text(_ids)::uuid) and l.tags <> app.tags_with(l.tags, _add, _remove);
  get diagnostics changed = row_count;
  return changed;
end $$;
comment on function api.tag_leads(jsonb, jsonb, jsonb) is 'Adds and removes tags of your leads. Returns how many changed.';

create function app.address_hash(_account uuid, _email text) returns bytea
language sql immutable set search_path = ''
return sha256(convert_to(_account || ' ' || lower(_email), 'UTF8'));

create policy worker_all on app.erased_addresses to hoplet_worker using (true) with check (true);

-- Erases an address from all leads of the caller, and from every queue. Returns how many rows there were.
create function api.erase_lead(_email text) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  erased integer;
begin
  delete from app.leads l where l.user_id = app.current_user_id() and lower(l.email) = lower(_email);
  get diagnostics erased = row_count;
  if erased > 0 then
    insert into app.erased_addresses (user_id, hash)
      values (app.current_user_id(), app.address_hash(app.current_user_id(), _email)) on conflict do nothing;
  end if;
  return erased;
end $$;
comment on function api.erase_lead(text) is 'Erases an address from your audience. Returns how many leads had it.';

-- The caller's settings and room: {leads, bytes, max_leads, max_bytes, left_out, left_out_at, retention_days, double_opt_in}
create function api.audience() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('leads', coalesce(a.leads, 0), 'bytes', coalesce(a.bytes, 0), 'max_leads', app.max_leads(),
    'max_bytes', app.max_lead_bytes(), 'left_out', coalesce(a.left_out, 0), 'left_out_at', a.left_out_at,
    'retention_days', a.retention_days, 'double_opt_in', coalesce(a.double_opt_in, false),
    'tags', (select coalesce(jsonb_agg(t.tag order by t.tag), '[]') from (select distinct unnest(l.tags) as tag
      from app.leads l where l.user_id = app.current_user_id() limit 500) t))
  from (select app.current_user_id() as id) me left join app.audiences a on a.user_id = me.id
$$;
comment on function api.audience() is 'Settings of your audience, its size, and its tags.';

-- Null keeps leads for good, so a retention that is left out is -1.
create function api.save_audience(_retention_days integer default -1, _double_opt_in boolean default null) returns void
language sql volatile security definer set search_path = '' as $$
  insert into app.audiences as a (user_id, retention_days, double_opt_in)
    values (app.current_user_id(), nullif(_retention_days, -1), coalesce(_double_opt_in, false))
    on conflict (user_id) do update set
      retention_days = case when _retention_days = -1 then a.retention_days else excluded.retention_days end,
      double_opt_in = coalesce(_double_opt_in, a.double_opt_in)
$$;
comment on function api.save_audience(integer, boolean) is
  'Settings of your audience: days until a lead is deleted (null: never), and a confirmation by email. One that is left out stays.';

grant execute on function api.tag_leads(jsonb, jsonb, jsonb), api.erase_lead(text), api.audience(),
  api.save_audience(integer, boolean) to authenticated;
grant execute on function app.add_lead(uuid, integer, text, text, text), app.delete_old_leads(integer),
  app.open_lead_confirmation(uuid, bytea), app.confirm_lead(bytea, boolean), app.leave_audience(text, boolean)
  to hoplet_worker;
