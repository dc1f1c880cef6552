-- For the program of release 1.0.0 while servers are replaced one by one; this one calls none of it. Release 1.2 drops
-- it.

create function app.store_hits(_columns text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.keep_hits(array(select h from app.hits_in(_columns) h));
end $$;

create function app.queue_hits_for_webhooks(_columns text[]) returns void
language sql volatile security definer set search_path = '' as $$
  select app.queue_clicks_for_webhooks(array(select h from app.hits_in(_columns) h))
$$;

create function app.store_popup_events(_columns text[]) returns void
language sql volatile security definer set search_path = '' as $$
  select app.apply_popup_events(_columns)
$$;

-- app.store_popup_events has queued them.
create function app.queue_popup_emails_for_webhooks(_columns text[]) returns void
language sql immutable
return null;

create policy visits_count on app.bio_links for update to hoplet_visits using (true) with check (true);
create policy visits_count on app.bio_pages for update to hoplet_visits using (true) with check (true);
create policy visits_count on app.shortened_urls for update to hoplet_visits using (true) with check (true);

grant execute on function
  app.click_clients_of(jsonb), app.click_origins_of(jsonb), app.click_places_of(jsonb),
  app.queue_hits_for_webhooks(text[]), app.queue_popup_emails_for_webhooks(text[]), app.store_hits(text[]),
  app.store_popup_events(text[])
  to hoplet_visits;
