-- A role for the Worker that reads and writes rows and can change no table, function or other role. Run as the owner, who migrates, before
-- the first migration or after any; what later migrations make is covered. Before it, with a password of your own:
-- CREATE ROLE hca_worker LOGIN PASSWORD '…';
GRANT USAGE ON SCHEMA public TO hca_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO hca_worker;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO hca_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO hca_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO hca_worker;
-- Otherwise every role may make temporary tables, and before PostgreSQL 15 any.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()); END $$;
