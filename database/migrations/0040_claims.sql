-- Rights from a claim of a sign-in provider (docs/decisions/0068-admins-by-a-claim.md). A session that came by such a
-- provider has the moment until which its claims count; a role that a claim gave has the provider.
alter table auth.sessions add column claim_provider text check (length(claim_provider) <= 64);
alter table auth.sessions add column claims_until timestamptz;
alter table app.user_roles add column claim_provider text check (length(claim_provider) <= 64);
