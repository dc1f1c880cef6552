-- Imports of links: the dry run, the job and its undo. Each step is one transaction that locks the import, so that two servers never do the
-- same rows, and a process that dies loses nothing (server/transfer/).

-- The key that a row's link would have; null for one without a code. A row without a domain is for the own host.
create function app.import_key(_owner uuid, _link jsonb) returns text
language sql stable security definer set search_path = '' as $$
  select case when _link ->> 'domain' is null then '' else coalesce((select d.id || '/' from app.domains d
    where d.user_id = _owner and d.host = _link ->> 'domain'), '') end || lower(_link ->> 'short_code')
$$;

-- The outcome of a row now: 'made', 'here', or its code is 'taken'; 'own' if another link of the account has the code.
create function app.import_fate(_owner uuid, _link jsonb) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  wanted constant text := app.import_key(_owner, _link);
  present text;
begin
  if _link ? 'kind' then return 'made'; end if;
  if exists (select from app.shortened_urls s where s.user_id = _owner and s.external_id = _link ->> 'external_id') then
    return 'here';
  end if;
  if wanted is null then return 'made'; end if;
  select s.original_url into present from app.shortened_urls s
    where s.user_id = _owner and s.short_code = app.link_code(wanted);
  if found then return case when present = _link ->> 'original_url' then 'here' else 'own' end; end if;
  if app.is_reserved_brand(app.name_in(wanted)) or exists (select from app.names n where n.name = wanted and (n.released_at is null
      or (n.owner_id is distinct from _owner and n.released_at >= now() - app.name_hold()))) then
    return 'taken';
  end if;
  return 'made';
end $$;

-- Writes the findings of the dry run about rows: [{place, label, link, notes, losses, outcome}]. A row without a link is refused for its first
-- note. Returns false when the import is not being read any more.
create function app.check_import_rows(_import uuid, _rows jsonb) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  owner constant uuid := app.current_user_id();
  item record;
  row_notes text[];
  fate text;
  present text;
  earlier record;
begin
  perform 1 from app.imports i where i.id = _import and i.user_id = owner and i.state = 'reading' for update;
  if not found then return false; end if;
  for item in select * from jsonb_to_recordset(_rows)
      as r (place integer, label text, link jsonb, notes text[], losses text[], outcome text) order by r.place loop
    row_notes := coalesce(item.notes, '{}');
    present := null;
    if item.link is null then
      fate := 'refused';
    elsif item.outcome is not null then
      fate := item.outcome;
    elsif app.block_of(null, null, coalesce(item.link ->> 'original_url', item.link ->> 'url')) = 'host' then
      fate := 'refused';
      row_notes := array['This host is blocked here.'];
    elsif item.link ->> 'kind' in ('link', 'header') and not exists (
        select from app.bio_pages p where p.user_id = owner) then
      fate := 'refused';
      row_notes := array['You have no bio page yet. Please make one, then import again.'];
    else
      fate := app.import_fate(owner, item.link);
    end if;
    -- Hits come with the links and the page that the import makes. They are the last row.
    if fate = 'made' and item.link ->> 'kind' = 'hits' and not exists (select from app.import_rows r
        where r.import_id = _import and r.outcome in ('made', 'taken', 'case')
          and (not r.link ? 'kind' or r.link ->> 'kind' = 'bio_page')) then
      fate := 'here';
    end if;
    if fate = 'own' then
      fate := 'taken';
      present := (select s.original_url from app.shortened_urls s
        where s.short_code = app.link_code(app.import_key(owner, item.link)));
    elsif fate = 'made' and item.link ? 'short_code' then
      select r.link into earlier from app.import_rows r
        where r.import_id = _import and lower(r.link ->> 'short_code') = lower(item.link ->> 'short_code')
          and r.link ->> 'domain' is not distinct from item.link ->> 'domain'
          and r.link ? 'short_code' and r.place < item.place and r.outcome = 'made'
        order by r.place limit 1;
      if found then
        fate := case when earlier.link ->> 'original_url' = item.link ->> 'original_url' then 'here'
          when earlier.link ->> 'short_code' = item.link ->> 'short_code' then 'taken' else 'case' end;
      end if;
    end if;
    update app.import_rows r set outcome = fate, label = left(item.label, 300), link = item.link, notes = row_notes,
      losses = coalesce(item.losses, '{}'), before_url = present
      where r.import_id = _import and r.place = item.place;
  end loop;
  -- Names of other accounts are not told in any number.
  if (select count(*) from (select from app.import_rows r where r.import_id = _import and r.outcome = 'taken'
      and r.before_url is null limit 1001) t) > 1000 then
    update app.imports i set state = 'failed', ended_at = now(), access = null,
      notice = 'More than 1,000 codes of this file are taken here. Please leave the codes out, and import with random ones.'
      where i.id = _import;
    return false;
  end if;
  return true;
end $$;

-- Ends the dry run: everything was read and checked.
create function app.finish_import_check(_import uuid) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  if exists (select from app.import_rows r where r.import_id = _import and r.outcome is null) then return false; end if;
  update app.imports i set state = 'ready', access = null, totals = t.totals
    from (select jsonb_build_object('losing', coalesce(sum(x.losing), 0), 'coded', coalesce(sum(x.coded), 0),
        'taken_own', coalesce(sum(x.own), 0)) || coalesce(jsonb_object_agg(x.outcome, x.n), '{}') as totals
      from (select r.outcome, count(*) as n, count(*) filter (where r.outcome = 'made' and r.losses <> '{}') as losing,
          count(*) filter (where r.outcome = 'made' and r.link ? 'short_code') as coded,
          count(*) filter (where r.outcome = 'taken' and r.before_url is not null) as own
        from app.import_rows r where r.import_id = _import group by 1) x) t
    where i.id = _import and i.user_id = app.current_user_id() and i.state = 'reading' and i.is_complete;
  return found;
end $$;

-- Starts the job with its owner's choices: _codes is keep or random, _taken is new, skip or replace, _rows has those of single rows:
-- [{place, choice}]. From now on `link` of each row is final. Returns false when the import is not ready.
create function app.confirm_import(_import uuid, _codes text, _taken text, _rows jsonb) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform 1 from app.imports i where i.id = _import and i.user_id = app.current_user_id() and i.state = 'ready' for update;
  if not found then return false; end if;
  update app.import_rows r set choice = c.choice
    from jsonb_to_recordset(_rows) as c (place integer, choice text)
    where r.import_id = _import and r.place = c.place and r.outcome in ('taken', 'case');
  update app.import_rows r set choice = _taken
    where r.import_id = _import and r.outcome in ('taken', 'case') and r.choice is null;
  -- Only a link of the account can be replaced.
  update app.import_rows r set choice = 'new'
    where r.import_id = _import and r.choice = 'replace' and r.before_url is null;
  if _codes = 'random' then
    update app.import_rows r set link = r.link - 'short_code', choice = null
      where r.import_id = _import and r.outcome in ('made', 'taken', 'case') and r.choice is distinct from 'skip';
  else
    update app.import_rows r set link = r.link - 'short_code'
      where r.import_id = _import and r.choice = 'new';
  end if;
  update app.import_rows r set result = 'skipped'
    where r.import_id = _import and (r.outcome in ('here', 'refused') or r.choice = 'skip');
  update app.imports i set state = 'running', started_at = now(), last_row_at = now(), next_at = now(), notice = null,
    choices = i.choices || jsonb_build_object('codes', _codes, 'taken', _taken),
    results = jsonb_build_object('skipped',
      (select count(*) from app.import_rows r where r.import_id = _import and r.result = 'skipped'))
    where i.id = _import;
  return true;
end $$;

create function app.add_to_results(_results jsonb, _result text, _n integer) returns jsonb
language sql immutable set search_path = ''
return _results || jsonb_build_object(_result, coalesce((_results ->> _result)::integer, 0) + _n);

-- Replaces the link of the account that has the code of a row. Returns its id; null when it must stay.
create function app.replace_by_import(_owner uuid, _link jsonb) returns uuid
language plpgsql volatile security definer set search_path = '' as $$
declare
  replaced uuid;
begin
  update app.shortened_urls s set original_url = _link ->> 'original_url',
    title = coalesce(_link ->> 'title', s.title), note = coalesce(_link ->> 'note', s.note),
    former_url = coalesce(_link ->> 'former_url', s.former_url),
    clicks_before = coalesce((_link ->> 'clicks_before')::bigint, s.clicks_before),
    tags = case when _link ? 'tags' then array(select jsonb_array_elements_text(_link -> 'tags')) else s.tags end
    where s.user_id = _owner and s.short_code = app.link_code(app.import_key(_owner, _link))
      -- A program that writes expectations changes the link itself.
      and not exists (select from app.link_expectations e where e.link_id = s.id)
    returning s.id into replaced;
  return replaced;
end $$;

-- Puts an entry at the end of the account's bio page. Returns its id.
create function app.add_bio_entry(_owner uuid, _entry jsonb) returns uuid
language plpgsql volatile security definer set search_path = '' as $$
declare
  page constant uuid := (select p.id from app.bio_pages p where p.user_id = _owner);
  added uuid;
begin
  insert into app.bio_links (bio_page_id, kind, title, url, link_order)
    values (page, _entry ->> 'kind', _entry ->> 'title', coalesce(_entry ->> 'url', ''),
      (select coalesce(max(l.link_order) + 1, 0) from app.bio_links l where l.bio_page_id = page))
    returning id into added;
  return added;
end $$;

-- The popup of an archive, as it is here.
create function app.imported_popup(_import uuid, _id text) returns uuid
language sql stable security definer set search_path = ''
return (select r.link_id from app.import_rows r
  where r.import_id = _import and r.link ? 'kind' and r.record ->> 'id' = _id and r.link ->> 'kind' = 'popup');

-- Makes the bio page of an archive, with its lists. An account that has one keeps it.
create function app.add_bio_page(_owner uuid, _import uuid, _page jsonb) returns uuid
language plpgsql volatile security definer set search_path = '' as $$
declare
  wanted app.bio_pages := jsonb_populate_record(null::app.bio_pages, _page);
  added uuid;
  tail integer := 1;
begin
  if exists (select from app.bio_pages p where p.user_id = _owner) then return null; end if;
  loop
    begin
      insert into app.bio_pages (user_id, domain, slug, title, description, theme_primary, theme_background, theme_text, look,
          avatar_url, popup_id)
        values (_owner, coalesce(wanted.domain, ''), case tail when 1 then wanted.slug else left(wanted.slug, 47) || '-' || tail end, wanted.title,
          wanted.description, wanted.theme_primary, wanted.theme_background, wanted.theme_text, wanted.look,
          wanted.avatar_url, app.imported_popup(_import, _page ->> 'popup_id'))
        returning id into added;
      exit;
    exception when unique_violation then
      tail := tail + 1;
      if tail > 9 then raise; end if;
    end;
  end loop;
  insert into app.bio_links (bio_page_id, kind, title, url, link_order, is_visible, image_url, starts_at, ends_at)
    select added, l.kind, l.title, coalesce(l.url, ''), l.link_order, l.is_visible, l.image_url, l.starts_at, l.ends_at
    from jsonb_populate_recordset(null::app.bio_links, coalesce(_page -> 'links', '[]')) l;
  insert into app.bio_social_links (bio_page_id, platform, url, display_order)
    select added, l.platform, l.url, l.display_order
    from jsonb_populate_recordset(null::app.bio_social_links, coalesce(_page -> 'social_links', '[]')) l;
  return added;
end $$;

-- An address of an archive, marked with a tag. One that is here, has left, or was erased here stays as it is.
create function app.add_imported_lead(_owner uuid, _import uuid, _lead jsonb) returns uuid
language plpgsql volatile security definer set search_path = '' as $$
declare
  wanted app.leads := jsonb_populate_record(null::app.leads, _lead - '{id,popup_id,user_id,unsubscribe_token,confirm_hash}'::text[]);
  popup uuid := app.imported_popup(_import, _lead ->> 'popup_id');
  added uuid;
begin
  insert into app.audiences (user_id) values (_owner) on conflict do nothing;
  perform 1 from app.audiences a where a.user_id = _owner for update;
  if exists (select from app.leads l where l.user_id = _owner and lower(l.email) = lower(wanted.email)
      and (l.state = 'unsubscribed' or l.popup_id is not distinct from popup))
    or exists (select from app.erased_addresses e where e.user_id = _owner
      and e.hash = app.address_hash(_owner, wanted.email)) then
    return null;
  end if;
  if wanted.email !~ '^[^@[:space:]]+@[^@[:space:]]+$' then
    raise check_violation using message = 'This is not an email address.';
  end if;
  insert into app.leads (user_id, popup_id, popup_version, email, consent_text, code, source, tags, state,
      unsubscribe_token, confirmed_at, unsubscribed_at, created_at)
    values (_owner, popup, coalesce(wanted.popup_version, 1), wanted.email, coalesce(wanted.consent_text, ''), wanted.code,
      wanted.source, (array['imported'] || coalesce(wanted.tags, '{}'))[1:20],
      -- A confirmation that was open there is not open here.
      case wanted.state when 'confirmed' then 'confirmed' when 'unsubscribed' then 'unsubscribed' else 'pending' end,
      app.new_lead_token(), wanted.confirmed_at, wanted.unsubscribed_at, coalesce(wanted.created_at, now()))
    returning id into added;
  return added;
end $$;

-- Writes a row of another kind than a link. Returns its id; null when the account already has it.
create function app.write_import_item(_owner uuid, _import uuid, _item jsonb) returns uuid
language plpgsql volatile security definer set search_path = '' as $$
declare
  added uuid;
  popup app.popups;
begin
  case _item ->> 'kind'
    when 'tag' then
      insert into app.tags (user_id, name, color) values (_owner, _item ->> 'name', coalesce(_item ->> 'color', ''))
        on conflict do nothing returning id into added;
    when 'utm_template' then
      insert into app.utm_templates (user_id, name, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
        select _owner, t.name, coalesce(t.utm_source, ''), coalesce(t.utm_medium, ''), coalesce(t.utm_campaign, ''),
          coalesce(t.utm_term, ''), coalesce(t.utm_content, '')
        from jsonb_populate_record(null::app.utm_templates, _item) t
        on conflict do nothing returning id into added;
    when 'qr_look' then
      insert into app.qr_looks (user_id, name, look, is_default)
        values (_owner, _item ->> 'name', _item -> 'look', coalesce((_item ->> 'is_default')::boolean, false)
          and not exists (select from app.qr_looks l where l.user_id = _owner and l.is_default))
        on conflict (user_id, lower(name)) do nothing returning id into added;
    when 'day_note' then
      insert into app.day_notes (user_id, day, text) values (_owner, (_item ->> 'day')::date, _item ->> 'text')
        on conflict do nothing returning id into added;
    when 'popup' then
      popup := jsonb_populate_record(null::app.popups, _item);
      select p.id into added from app.popups p where p.user_id = _owner and p.title = popup.title
        and p.description is not distinct from popup.description and p.cta_url is not distinct from popup.cta_url
        and p.created_at = popup.created_at limit 1;
      if found then
        -- Links of the archive have it.
        update app.import_rows r set link_id = added
          where r.import_id = _import and r.link ? 'kind' and r.record ->> 'id' = popup.id::text;
        return null;
      end if;
      insert into app.popups (user_id, name, title, description, cta_text, cta_url, image_url, background_color,
          text_color, button_color, button_text_color, position, trigger_delay, trigger_delay_enabled, collect_email,
          keep_emails, consent_text, size_preset, is_active, border_radius, font_style, shadow_style, created_at)
        values (_owner, popup.name, popup.title, popup.description, popup.cta_text, popup.cta_url, popup.image_url,
          popup.background_color, popup.text_color, popup.button_color, popup.button_text_color, popup.position,
          popup.trigger_delay, popup.trigger_delay_enabled, popup.collect_email, popup.keep_emails, popup.consent_text,
          popup.size_preset, popup.is_active, popup.border_radius, popup.font_style, popup.shadow_style,
          popup.created_at)
        returning id into added;
    when 'bio_page' then added := app.add_bio_page(_owner, _import, _item);
    when 'lead' then added := app.add_imported_lead(_owner, _import, _item);
    else added := app.add_bio_entry(_owner, _item);
  end case;
  return added;
end $$;

-- Gives a new link the parts of an archive beside its columns: history, former codes, placements, expectations and popup. Returns sentences
-- about parts that found no place.
create function app.add_link_extras(_owner uuid, _import uuid, _link uuid, _extras jsonb) returns text[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  code constant text := (select s.short_code from app.shortened_urls s where s.id = _link);
  former text;
  held text;
  popup uuid;
  notes text[] := '{}';
begin
  -- Null in changed_by: the service itself.
  insert into app.link_history (link_id, changed_at, from_url)
    select _link, h.changed_at, h.from_url
    from jsonb_to_recordset(coalesce(_extras -> 'history', '[]')) as h (changed_at timestamptz, from_url text)
    where h.from_url is not null and length(h.from_url) <= 2048 order by h.changed_at limit 50;
  for former in select lower(a) from jsonb_array_elements_text(coalesce(_extras -> 'aliases', '[]')) a limit 5 loop
    begin
      perform app.charge(_owner, false, true);
      held := app.key_on(app.prefix_in(code), app.valid_code(former));
      if not app.claim_name(held, 'link', _owner) then
        raise unique_violation using message = 'taken';
      end if;
      update app.names n set kind = 'alias', alias_of = code, is_custom = true where n.name = held;
      perform pg_notify('hoplet_names', held);
    exception when integrity_constraint_violation or raise_exception then
      notes := notes || format('Its former code %s did not come along.', former);
    end;
  end loop;
  begin
    insert into app.placements (link_id, user_id, name, mark, utm_source, utm_medium, utm_campaign, utm_term,
        utm_content, created_at)
      select _link, _owner, p.name, p.mark, coalesce(p.utm_source, ''), coalesce(p.utm_medium, ''),
        coalesce(p.utm_campaign, ''), coalesce(p.utm_term, ''), coalesce(p.utm_content, ''), coalesce(p.created_at, now())
      from jsonb_populate_recordset(null::app.placements, coalesce(_extras -> 'placements', '[]')) p
      on conflict do nothing;
    insert into app.link_expectations (link_id, name, visit, expected_url)
      select _link, e.name, e.visit, e.expected_url
      from jsonb_populate_recordset(null::app.link_expectations, coalesce(_extras -> 'expectations', '[]')) e
      limit 20 on conflict do nothing;
  exception when integrity_constraint_violation or data_exception or raise_exception then
    notes := notes || 'Its placements or expectations did not come along.'::text;
  end;
  popup := app.imported_popup(_import, _extras ->> 'popup_id');
  if popup is not null then
    update app.shortened_urls s set popup_id = popup, show_popup = coalesce((_extras ->> 'show_popup')::boolean, true)
      where s.id = _link;
  end if;
  return notes;
end $$;

-- Links and custom codes that the job may still make today. The account's usage is locked.
create function app.import_room(_job app.imports, _used app.user_usage,
  out links integer, out codes integer, out is_daily boolean)
language plpgsql stable security definer set search_path = '' as $$
declare
  limits record;
  fresh constant boolean := _used.day = app.usage_day(_used.day);
  none constant integer := 2000000000;
begin
  select * into limits from app.plan_limits(app.plan_of(_used.user_id));
  links := none;
  codes := none;
  is_daily := limits.shortened_urls is not null and limits.limit_type = 'daily';
  if limits.shortened_urls is null then return; end if;
  if is_daily then
    links := least(limits.shortened_urls * 9 / 10 - _job.day_links,
      limits.shortened_urls - case when fresh then coalesce(_used.daily_shortened_urls, 0) else 0 end);
    -- Nine tenths of two codes are one.
    codes := least(limits.custom_codes * 9 / 10 - _job.day_codes,
      limits.custom_codes - case when fresh then coalesce(_used.daily_custom_codes, 0) else 0 end);
  else
    select limits.shortened_urls - l.links, limits.custom_codes - l.custom_codes into links, codes
      from app.lifetime_used(_used.user_id) l;
  end if;
  links := greatest(links, 0) + _used.import_allowance;
  codes := greatest(codes, 0) + _used.import_allowance;
end $$;

-- Writes the next rows of an import, at most _max, through create_links. Returns the state after it, 'hits' when its hits are all that is
-- left (app.write_import_hits); null when another one works on it, or it does not run.
create function app.write_import_batch(_import uuid, _max integer) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  owner constant uuid := app.current_user_id();
  used app.user_usage := app.lock_usage(owner);
  job app.imports;
  room record;
  item record;
  fate text;
  batch jsonb := '[]';
  places integer[] := '{}';
  answer jsonb;
  target uuid;
  problem text;
  looked_at integer := 0;
  waits boolean := false;
  wrote integer := 0;
  only_hits boolean := false;
begin
  select * into job from app.imports i where i.id = _import and i.user_id = owner and i.state in ('running', 'waiting')
    and not i.undoes for update skip locked;
  if not found then return null; end if;
  if job.day is distinct from app.usage_day(used.day) then
    job.day := app.usage_day(used.day);
    job.day_links := 0;
    job.day_codes := 0;
  end if;
  select * into room from app.import_room(job, used);
  perform set_config('hoplet.import', 'on', true);
  for item in select r.* from app.import_rows r
      where r.import_id = _import and r.result is null and r.link ->> 'kind' is distinct from 'hits'
        and (room.codes > 0 or r.choice = 'replace' or not r.link ? 'short_code')
      order by r.place limit _max loop
    looked_at := looked_at + 1;
    target := null;
    problem := null;
    fate := app.import_fate(owner, item.link);
    -- The code was taken, or the link made, after the dry run.
    if fate in ('taken', 'own') and item.choice is distinct from 'replace' then
      item.choice := job.choices ->> 'taken';
    end if;
    if fate = 'here' or (fate in ('taken', 'own') and item.choice = 'skip') then
      update app.import_rows r set result = 'skipped' where r.import_id = _import and r.place = item.place;
      job.results := app.add_to_results(job.results, 'skipped', 1);
      continue;
    end if;
    if fate = 'own' and item.choice = 'replace' then
      begin
        item.before_url := (select s.original_url from app.shortened_urls s
          where s.short_code = app.link_code(app.import_key(owner, item.link)));
        target := app.replace_by_import(owner, item.link);
        if target is null then problem := 'The link has expectations. Please change it by hand.'; end if;
      exception when data_exception or integrity_constraint_violation or raise_exception then
        problem := sqlerrm;
      end;
      fate := 'replaced';
    elsif item.link ? 'kind' then
      fate := 'made';
      begin
        target := app.write_import_item(owner, _import, item.link);
        if target is null then fate := 'skipped'; end if;
      exception when data_exception or integrity_constraint_violation or raise_exception then
        problem := sqlerrm;
      end;
    else
      if fate in ('taken', 'own') then item.link := item.link - 'short_code'; end if;
      if room.links <= 0 then
        waits := true;
        exit;
      end if;
      if item.link ? 'short_code' then
        if room.codes <= 0 then continue; end if;
        room.codes := room.codes - 1;
      end if;
      room.links := room.links - 1;
      batch := batch || (jsonb_build_object('domain', '') || (item.link - 'extras'));
      places := places || item.place;
      continue;
    end if;
    update app.import_rows r set result = case when problem is null then fate else 'failed' end,
      link_id = coalesce(target, r.link_id),
      before_url = item.before_url, notes = case when problem is null then r.notes else r.notes || problem end
      where r.import_id = _import and r.place = item.place;
    job.results := app.add_to_results(job.results, case when problem is null then fate else 'failed' end, 1);
    wrote := wrote + 1;
  end loop;
  for answer in select * from jsonb_array_elements(
      case when batch <> '[]' then api.create_links(batch) else '[]' end) loop
    item := null;
    select r.* into item from app.import_rows r
      where r.import_id = _import and r.place = places[(answer ->> 'index')::integer + 1];
    if answer ->> 'status' <> 'failed' then
      target := (answer #>> '{link,id}')::uuid;
      update app.import_rows r set result = 'made', link_id = target, notes = r.notes
          || case when r.link ? 'extras' then app.add_link_extras(owner, _import, target, r.link -> 'extras') else '{}' end
        where r.import_id = _import and r.place = item.place;
      job.results := app.add_to_results(job.results, 'made', 1);
      if room.is_daily then
        job.day_links := job.day_links + 1;
        job.day_codes := job.day_codes + (item.link ? 'short_code')::integer;
      end if;
      wrote := wrote + 1;
    elsif answer #>> '{error,message}' = 'Limit Reached' or answer #>> '{error,hint}' = 'too_many_rows' then
      waits := true;
    elsif answer #>> '{error,constraint}' is distinct from 'shortened_urls_short_code_key' then
      update app.import_rows r set result = 'failed',
        notes = r.notes || coalesce(answer #>> '{error,details}', answer #>> '{error,message}')
        where r.import_id = _import and r.place = item.place;
      job.results := app.add_to_results(job.results, 'failed', 1);
      wrote := wrote + 1;
    end if;
  end loop;
  perform set_config('hoplet.import', '', true);
  if wrote > 0 then job.last_row_at := now(); end if;
  job.notice := null;
  if not exists (select from app.import_rows r where r.import_id = _import and r.result is null) then
    job.state := 'done';
  elsif not exists (select from app.import_rows r where r.import_id = _import and r.result is null
      and r.link ->> 'kind' is distinct from 'hits') then
    only_hits := true;
    job.state := 'running';
  elsif job.last_row_at < now() - interval '30 days' then
    job.state := 'done';
    job.notice := 'No row could be written for 30 days. The rest is in the CSV.';
  elsif waits or looked_at = 0 then
    job.state := 'waiting';
    -- A new plan ends the wait too (app.wake_imports).
    job.next_at := case when app.has_plans() and (select l.limit_type from app.plan_limits(app.plan_of(owner)) l) = 'daily'
      then (job.day + 1)::timestamp at time zone 'utc' else now() + interval '1 hour' end;
  else
    job.state := 'running';
  end if;
  update app.imports i set state = job.state, notice = job.notice, results = job.results, day = job.day,
    day_links = job.day_links, day_codes = job.day_codes, last_row_at = job.last_row_at,
    next_at = case when job.state = 'waiting' then job.next_at else now() end,
    ended_at = case when job.state = 'done' then now() end
    where i.id = _import;
  if job.state = 'done' then perform app.drop_import_hits(_import); end if;
  return case when only_hits then 'hits' else job.state end;
end $$;

-- An account that gets room again does not wait for the next day.
create function app.wake_imports() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update app.imports i set next_at = now() where i.user_id = new.user_id and i.state = 'waiting';
  return null;
end $$;
create trigger wake_imports after update of plan_type on app.user_plans
  for each row when (old.plan_type is distinct from new.plan_type) execute function app.wake_imports();
create trigger wake_imports after update of import_allowance on app.user_usage
  for each row when (old.import_allowance < new.import_allowance) execute function app.wake_imports();

-- Deletes such a row, unless visitors or the owner have used it. Returns 'undone' or 'kept'.
create function app.undo_import_item(_owner uuid, _kind text, _id uuid) returns text
language plpgsql volatile security definer set search_path = '' as $$
begin
  case _kind
    -- They go with their links.
    when 'hits' then return 'undone';
    when 'tag' then
      delete from app.tags t where t.id = _id and t.user_id = _owner
        and not exists (select from app.shortened_urls s where s.user_id = _owner and s.tags <> '{}' and s.tags @> array[t.name]);
      if not found and exists (select from app.tags t where t.id = _id) then return 'kept'; end if;
    when 'utm_template' then delete from app.utm_templates t where t.id = _id and t.user_id = _owner;
    when 'qr_look' then delete from app.qr_looks t where t.id = _id and t.user_id = _owner;
    when 'day_note' then delete from app.day_notes t where t.id = _id and t.user_id = _owner;
    when 'popup' then
      delete from app.popups p where p.id = _id and p.user_id = _owner
        and not exists (select from app.shortened_urls s where s.popup_id = p.id)
        and not exists (select from app.bio_pages b where b.popup_id = p.id);
      if not found and exists (select from app.popups p where p.id = _id) then return 'kept'; end if;
    when 'bio_page' then
      delete from app.bio_pages p where p.id = _id and p.user_id = _owner and p.visit_count = 0;
      if not found and exists (select from app.bio_pages p where p.id = _id) then return 'kept'; end if;
    when 'lead' then delete from app.leads l where l.id = _id and l.user_id = _owner;
    else
      delete from app.bio_links l using app.bio_pages p
        where l.id = _id and p.id = l.bio_page_id and p.user_id = _owner and l.click_count = 0;
      if not found and exists (select from app.bio_links l where l.id = _id) then return 'kept'; end if;
  end case;
  return 'undone';
end $$;

-- Deletes up to _max links of an import that nobody has clicked. Returns the new state, or null.
create function app.undo_import_batch(_import uuid, _max integer) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  owner constant uuid := app.current_user_id();
  job app.imports;
  item record;
  ending text;
  brought_hits constant boolean := exists (select from app.import_hit_days d where d.import_id = _import);
  -- Imported hits that one call deletes.
  rest integer := 5000;
begin
  perform app.lock_usage(owner);
  select * into job from app.imports i where i.id = _import and i.user_id = owner and i.state = 'running' and i.undoes
    for update skip locked;
  if not found then return null; end if;
  perform app.drop_import_hits(_import);
  if brought_hits then
    -- Which store has the hits stays so until the transaction ends.
    perform pg_advisory_xact_lock_shared(hashtextextended('hoplet.click_store', 0));
    if (select s.state from app.click_store s) = 'moving' then
      update app.imports i set next_at = now() + interval '1 minute' where i.id = _import;
      return null;
    end if;
  end if;
  perform set_config('hoplet.import', 'on', true);
  -- The last first: links before the tags and popups that they have.
  for item in select r.* from app.import_rows r where r.import_id = _import and r.result in ('made', 'replaced')
      order by r.place desc limit _max loop
    ending := 'undone';
    if brought_hits and item.result = 'made' and (not item.link ? 'kind' or item.link ->> 'kind' = 'bio_page') then
      rest := rest - app.delete_imported_hits(array(
        select s.ref from app.click_scopes s where s.ref = item.link_id and s.user_id = owner
        union all select l.id from app.bio_links l where l.bio_page_id = item.link_id), rest);
      exit when rest <= 0;
    end if;
    if item.result = 'replaced' then
      update app.shortened_urls s set original_url = item.before_url
        where s.id = item.link_id and s.user_id = owner and s.original_url = item.link ->> 'original_url';
      if not found then ending := 'kept'; end if;
    elsif item.link ? 'kind' then
      ending := app.undo_import_item(owner, item.link ->> 'kind', item.link_id);
    else
      delete from app.shortened_urls s where s.id = item.link_id and s.user_id = owner and s.click_count = 0;
      if not found and exists (select from app.shortened_urls s where s.id = item.link_id) then ending := 'kept'; end if;
    end if;
    update app.import_rows r set result = ending where r.import_id = _import and r.place = item.place;
    job.results := app.add_to_results(app.add_to_results(job.results, item.result, -1), ending, 1);
  end loop;
  perform set_config('hoplet.import', '', true);
  if not exists (select from app.import_rows r where r.import_id = _import and r.result in ('made', 'replaced')) then
    job.state := 'undone';
    if brought_hits then perform app.take_back_import_days(_import, owner); end if;
  end if;
  update app.imports i set state = job.state, results = job.results, next_at = now(),
    ended_at = case when job.state = 'undone' then now() else i.ended_at end, undoes = job.state <> 'undone'
    where i.id = _import;
  return job.state;
end $$;

-- Lets an account import so many links without quota; an admin's act.
create function api.grant_import(_user uuid, _links integer) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  before integer;
begin
  perform app.require_admin();
  if _links is null or _links not between 0 and 1000000 then
    raise invalid_parameter_value using message = 'An allowance is a number of links from 0 to 1,000,000.';
  end if;
  if not exists (select from app.profiles p where p.id = _user) then
    raise exception using errcode = 'P0001', message = 'This user does not exist.';
  end if;
  before := (app.lock_usage(_user)).import_allowance;
  update app.user_usage u set import_allowance = _links where u.user_id = _user;
  if before <> _links then
    perform app.audit('import.grant', 'user', _user::text, jsonb_build_object('import_allowance', before),
      jsonb_build_object('import_allowance', _links));
  end if;
end $$;
comment on function api.grant_import(uuid, integer) is
  'For admins: lets an account import this many links beyond its limits.';
grant execute on function api.grant_import(uuid, integer) to authenticated;

create policy worker_all on app.imports to hoplet_worker using (true) with check (true);
create policy worker_all on app.import_rows to hoplet_worker using (true) with check (true);
grant execute on function app.check_import_rows(uuid, jsonb), app.finish_import_check(uuid),
  app.confirm_import(uuid, text, text, jsonb), app.write_import_batch(uuid, integer),
  app.undo_import_batch(uuid, integer)
  to hoplet_worker;

-- Links and codes that the plan allows an import: a day (daily) or in all (lifetime). Null without limits.
create function app.import_allowance(_job app.imports) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  limits record;
  used app.user_usage;
  room record;
begin
  select * into limits from app.plan_limits(app.plan_of(_job.user_id));
  if limits.shortened_urls is null then return null; end if;
  select * into used from app.user_usage u where u.user_id = _job.user_id;
  used.user_id := _job.user_id;
  used.day := coalesce(used.day, app.today());
  used.import_allowance := coalesce(used.import_allowance, 0);
  if _job.day is distinct from app.usage_day(used.day) then
    _job.day_links := 0;
    _job.day_codes := 0;
  end if;
  select * into room from app.import_room(_job, used);
  return jsonb_build_object('limit_type', limits.limit_type,
    'links', case limits.limit_type when 'daily' then limits.shortened_urls * 9 / 10 else limits.shortened_urls end,
    'codes', case limits.limit_type when 'daily' then limits.custom_codes * 9 / 10 else limits.custom_codes end,
    'links_left', room.links, 'codes_left', room.codes,
    'free', used.import_allowance);
end $$;
grant execute on function app.import_allowance(app.imports) to hoplet_worker;

-- Archives of accounts (docs/archive.md, server/transfer/archive/) --

create policy worker_all on app.archives to hoplet_worker using (true) with check (true);

-- Begins an archive, or says why not: 'busy' while another one is made, 'limit' after three in a day, 'gone' for a deleted account. The lock
-- on the audience orders it with erasures: those before it are committed, and those after it find its row.
create function app.start_archive(_user uuid) returns table (archive uuid, refusal text)
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform 1 from auth.users u where u.id = _user for no key update;
  if not found then return query select null::uuid, 'gone'; return; end if;
  if exists (select from app.archives a where a.user_id = _user and a.state = 'making') then
    return query select null::uuid, 'busy'; return;
  end if;
  if (select count(*) >= 3 from app.archives a
      where a.user_id = _user and (a.created_at at time zone 'utc')::date = app.today()) then
    return query select null::uuid, 'limit'; return;
  end if;
  perform 1 from app.audiences a where a.user_id = _user for share;
  return query with made as (insert into app.archives (user_id) values (_user) returning id)
    select m.id, null::text from made m;
end $$;

-- Ends the making of an archive when its file is there; it replaces an earlier one. Returns the address of its owner, or null when this
-- attempt is not the present one any more.
create function app.finish_archive(_archive uuid, _attempt integer, _bytes bigint, _left_out jsonb) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  owner uuid;
begin
  update app.archives a set state = 'done', progress = 100, bytes = _bytes, left_out = _left_out, made_at = now(),
      expires_at = now() + interval '3 days', notice = null
    where a.id = _archive and a.attempt = _attempt and a.state = 'making' and a.user_id is not null
    returning a.user_id into owner;
  if owner is null then return null; end if;
  update app.archives a set state = 'expired', notice = 'A newer archive took its place.'
    where a.user_id = owner and a.state = 'done' and a.id <> _archive;
  return (select coalesce(u.email, app.space_mailbox(u.id)) from auth.users u where u.id = owner);
end $$;

-- An archive does not outlive an address in it that was erased. An address is not erased while another lead has it,
-- as after a confirmation, or at the end of its retention (app.delete_old_leads).
create function app.expire_archives_of_leads() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if coalesce(current_setting('hoplet.ends_leads', true), '') = 'on' then return null; end if;
  update app.archives a set state = 'expired', notice = 'An address was erased. Please make it again.'
    where a.state in ('making', 'done') and exists (select from removed l where l.user_id = a.user_id
      and not exists (select from app.leads o where o.user_id = l.user_id and lower(o.email) = lower(l.email)));
  return null;
end $$;
-- After count_delete, which locks the audience.
create trigger expire_archives after delete on app.leads referencing old table as removed
  for each statement execute function app.expire_archives_of_leads();

grant execute on function app.start_archive(uuid), app.finish_archive(uuid, integer, bigint, jsonb) to hoplet_worker;
