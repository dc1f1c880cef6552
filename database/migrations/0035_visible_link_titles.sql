-- A link of a bio page that shows nothing of its title is a line that nobody can read: as with titles of pages and popups.
update app.bio_links set title = left(url, 200) where not app.is_visible(title);
alter table app.bio_links add constraint bio_links_title_visible check (app.is_visible(title));
