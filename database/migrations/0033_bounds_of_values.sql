-- Times that people write have a year that calendars and programs can show: 'infinity' has no number of milliseconds, and a
-- look-up of links failed on it. The repair keeps the effect: open at that end, never started, or over.
update app.shortened_urls set
    starts_at = case when starts_at >= '0001-01-01Z' then least(starts_at, '9999-12-31Z') end,
    ends_at = case when ends_at < '10000-01-01Z' then greatest(ends_at, '0001-01-02Z') end,
    archived_at = case when archived_at is not null then least(greatest(archived_at, '0001-01-01Z'), '9999-12-31Z') end
  where not (coalesce(starts_at >= '0001-01-01Z' and starts_at < '10000-01-01Z', true)
    and coalesce(ends_at >= '0001-01-01Z' and ends_at < '10000-01-01Z', true)
    and coalesce(archived_at >= '0001-01-01Z' and archived_at < '10000-01-01Z', true));
alter table app.shortened_urls
  add constraint shortened_urls_starts_at_check check (starts_at >= '0001-01-01Z' and starts_at < '10000-01-01Z'),
  add constraint shortened_urls_ends_at_check check (ends_at >= '0001-01-01Z' and ends_at < '10000-01-01Z'),
  add constraint shortened_urls_archived_at_check check (archived_at >= '0001-01-01Z' and archived_at < '10000-01-01Z');

update app.bio_links set
    starts_at = case when starts_at >= '0001-01-01Z' then least(starts_at, '9999-12-31Z') end,
    ends_at = case when ends_at < '10000-01-01Z' then greatest(ends_at, '0001-01-02Z') end
  where not (coalesce(starts_at >= '0001-01-01Z' and starts_at < '10000-01-01Z', true)
    and coalesce(ends_at >= '0001-01-01Z' and ends_at < '10000-01-01Z', true));
alter table app.bio_links
  add constraint bio_links_starts_at_check check (starts_at >= '0001-01-01Z' and starts_at < '10000-01-01Z'),
  add constraint bio_links_ends_at_check check (ends_at >= '0001-01-01Z' and ends_at < '10000-01-01Z');

update app.shared_reports
  set expires_at = case when expires_at < '10000-01-01Z' then greatest(expires_at, '0001-01-01Z') end
  where not (expires_at >= '0001-01-01Z' and expires_at < '10000-01-01Z');
alter table app.shared_reports
  add constraint shared_reports_expires_at_check check (expires_at >= '0001-01-01Z' and expires_at < '10000-01-01Z');

-- Tags of a lead are a list of texts.
update app.leads set tags = array(select t from unnest(tags) t where t is not null)
  where array_ndims(tags) > 1 or exists (select from unnest(tags) t where t is null);
