-- A shared report is about one link or about the links with one tag, and its owner chooses what it is called.
alter table app.shared_reports
  alter column link_id drop not null,
  add tag_id uuid unique references app.tags on delete cascade,
  -- Null: the title of the link, or the name of the tag.
  add title text,
  -- A name that the owner shows; null: nobody is named.
  add shown_name text,
  add constraint shared_reports_subject_check check (num_nonnulls(link_id, tag_id) = 1),
  add constraint shared_reports_title_check
    check (length(title) between 1 and 200 and title !~ '[[:cntrl:]]' and app.is_visible(title)),
  add constraint shared_reports_shown_name_check
    check (length(shown_name) between 1 and 100 and shown_name !~ '[[:cntrl:]]' and app.is_visible(shown_name));

-- The view needs the columns.
grant select (tag_id, title, shown_name), insert (tag_id, title, shown_name), update (title, shown_name)
  on app.shared_reports to authenticated, service_role;

-- An app that shares the report of a tag has changed the tag.
alter table auth.app_changes drop constraint app_changes_kind_check,
  add constraint app_changes_kind_check check (kind in ('link', 'popup', 'bio page', 'tag'));
