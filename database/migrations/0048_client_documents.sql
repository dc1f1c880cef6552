-- An app may have the address of a document about itself as its id (draft-ietf-oauth-client-id-metadata-document). Its row has what
-- was last read there; updated_at says when.
alter table auth.oauth_clients add column document_url text unique check (length(document_url) <= 500);
