-- Where popups are used, for My Popups; and the owner's look around a popup.

-- How many links show each of the caller's popups, and whether the bio page does, for one page of cards: [{popup_id, links,
-- bio_page}]. Counted up to 1,000 a popup, so that an owner of very many links waits no longer; ids of others are left out.
create function api.popup_uses(_popup_ids jsonb) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('popup_id', p.id, 'links', u.links,
      'bio_page', exists (select from app.bio_pages b where b.popup_id = p.id))), '[]')
  from (select jsonb_array_elements_text(case jsonb_typeof(_popup_ids) when 'array' then _popup_ids else '[]' end) as id limit 100) asked
    join app.popups p on p.id = asked.id::uuid and p.user_id = app.current_user_id()
    cross join lateral (select count(*)::integer as links
      from (select from app.shortened_urls s where s.popup_id = p.id limit 1000) l) u
$$;
grant execute on function api.popup_uses(jsonb) to authenticated;

-- A short link shows its popup in the look of its owner's bio page, so a change of that page is a change of those popups.
-- Not when a visit is counted, which happens all the time.
create function app.notify_owner_look() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', 'popup:' || p.id) from app.popups p
    where p.user_id = coalesce(new.user_id, old.user_id)
      and exists (select from app.shortened_urls s where s.popup_id = p.id);
  return null;
end $$;
create trigger notify_owner_look after insert or delete on app.bio_pages
  for each row execute function app.notify_owner_look();
create trigger notify_owner_look_change after update on app.bio_pages
  for each row when (old.visit_count = new.visit_count) execute function app.notify_owner_look();
