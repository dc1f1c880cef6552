-- As hoplet_auth (retention.ts). Spent codes stay for another day, so that their reuse is still noticed.

delete from auth.budgets where at < now() - interval '1 day';

-- One row for each guess at an account under attack: these could be many.
delete from auth.budgets where key like 'first send %' and at < now() - interval '5 minutes';

delete from auth.one_time_tokens where expires_at < now() - interval '1 day';

delete from auth.flow_states where expires_at < now() - interval '1 day';

-- Only of those can a code be spent again.
delete from auth.oauth_authorizations where exchanged_at is null and expires_at < now() or expires_at < now() - interval '1 day';

-- Wrong codes count for an hour (factors/verify.ts).
delete from auth.challenges where expires_at < now() - interval '1 day';

delete from auth.factors where status = 'unverified' and created_at < now() - interval '1 day';

-- After 90 days already refused by every door (auth.session_status).
delete from auth.sessions where refreshed_at < now() - interval '{sessionIdleDays} days';

-- Any app may register itself: one that no person allowed anything is not kept.
delete from auth.oauth_clients c where c.registration = 'dynamic' and c.created_at < now() - interval '7 days'
  and not exists (select 1 from auth.oauth_consents o where o.client_id = c.id)
  and not exists (select 1 from auth.oauth_authorizations a where a.client_id = c.id);

delete from auth.app_changes where at < now() - interval '90 days';

select 0 as deleted from auth.delete_old_events();
