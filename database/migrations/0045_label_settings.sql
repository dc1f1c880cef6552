-- Labels of the last sheet of QR codes, and the millimeters by which the account's printer needs them moved:
-- {"format": "L7160", "dx": 0.5, "dy": -1}. Null: none was printed.
alter table app.profiles
  add column label_settings jsonb constraint profiles_label_settings
    check (jsonb_typeof(label_settings) = 'object' and octet_length(label_settings::text) <= 200);
grant select (label_settings), update (label_settings) on app.profiles to authenticated;
