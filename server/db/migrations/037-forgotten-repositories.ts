/** The store of the appliance removes only what this database itself has let go of. */
export const name = '037-forgotten-repositories'

export const sql = `
-- Repositories that were here and are not any more, however they went. Their folders in the store are to be removed; others
-- that are not known may be newer than a database that was restored.
CREATE TABLE backup_forgotten_repositories (
  repository_id TEXT PRIMARY KEY
) STRICT;

CREATE TRIGGER backup_repositories_forgotten AFTER DELETE ON backup_repositories BEGIN
  INSERT OR IGNORE INTO backup_forgotten_repositories (repository_id) VALUES (old.id);
END;

-- Nobody knows how those went that were found before.
DELETE FROM backup_store_leftovers;
`
