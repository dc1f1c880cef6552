-- Entries of a bio page: links with a picture and a time, headers and dividers. Only links have an address; the empty
-- one of the others is left out by programs that know links only.
alter table app.bio_links
  alter title set default '',
  alter url set default '',
  add kind text not null default 'link' constraint bio_links_kind_check check (kind in ('link', 'header', 'divider')),
  -- Always a picture that was uploaded here, so that visitors ask no other host.
  add image_url text constraint bio_links_image_url_check check (image_url ~ '^/media/[0-9a-f]{64}\.webp$'),
  -- Visitors see the entry from the start to the end.
  add starts_at timestamptz,
  add ends_at timestamptz,
  add constraint bio_links_dates check (ends_at > starts_at),
  drop constraint bio_links_url_check,
  add constraint bio_links_url_check check (case kind when 'link' then app.is_destination(url) else url = '' end),
  drop constraint bio_links_title_check,
  add constraint bio_links_title_check
    check (length(btrim(title)) <= 200 and (kind = 'divider' or length(btrim(title)) > 0)),
  drop constraint bio_links_title_visible,
  add constraint bio_links_title_visible check (kind = 'divider' or app.is_visible(title));
create index bio_links_media_hash on app.bio_links (app.media_hash(image_url)) where image_url is not null;

grant select (kind, image_url, starts_at, ends_at) on app.bio_links to anon;
grant insert (kind, image_url, starts_at, ends_at), update (kind, image_url, starts_at, ends_at)
  on app.bio_links to authenticated;
-- The collector of unused images, and a take-down.
grant select (id, image_url), update (image_url) on app.bio_links to hoplet_worker;
