-- Reports are counted as a role that can read clicks and nothing else (database/code/14_reports.sql decides who may ask).
grant usage on schema app to hoplet_reports;
grant select on
  app.click_clients, app.click_events, app.click_origins, app.click_places, app.click_rollups, app.click_samples,
  app.click_scopes, app.popup_events
  to hoplet_reports;
