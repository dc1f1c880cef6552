-- A sign-in link that the operator made on the machine: no email has it, and it has no code.
alter table auth.one_time_tokens drop constraint one_time_tokens_kind_check,
  add constraint one_time_tokens_kind_check check (kind in
    ('confirmation', 'recovery', 'magiclink', 'invite', 'email_change_current', 'email_change_new',
      'reauthentication', 'operator'));
