-- Images of previews are kept while a link shows them, as those of popups and bio pages are (server/media/media-rows.ts).
create index shortened_urls_media_hash on app.shortened_urls (app.media_hash(preview_image_url))
  where app.media_hash(preview_image_url) is not null;
grant select (id, preview_image_url), update (preview_image_url) on app.shortened_urls to hoplet_worker;
-- Indexes and checks of links use them.
grant execute on function app.host_key(text), app.destination_host(text) to hoplet_worker;
