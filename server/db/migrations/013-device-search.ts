/** What devices are found by: beside their names also addresses, serial number, user, model and tags. */
export const name = '013-device-search'

/** Agents report what they like, and a search looks at all of it. */
const maxCharacters = { value: 255, address: 64, tag: 100 }
const maxTags = 50
const maxAddresses = 64

/** One value and a line break; nothing for none. */
const line = (value: string, characters = maxCharacters.value) =>
  `coalesce(lower(substr(nullif(${value}, ''), 1, ${characters})) || char(10), '')`

const linesOf = (row: string) =>
  [
    line(`${row}.hostname`, 270),
    line(`${row}.display_name`),
    line(`${row}.last_user`),
    line(`${row}.lan_ip`, maxCharacters.address),
    line(`${row}.wan_ip`, maxCharacters.address),
  ].join(' || ')

const linesOfTags = (row: string) =>
  `(SELECT coalesce(group_concat(line, ''), '')
    FROM (SELECT ${line('value', maxCharacters.tag)} AS line FROM json_each(${row}.tags) LIMIT ${maxTags}))`

const linesOfHardware = (row: string) =>
  [`${row}.serial_number`, `${row}.manufacturer`, `${row}.model`].map((value) => line(value)).join(' || ')

/** Its digits only: people and agents write it with colons, hyphens, dots or nothing in between. */
const macAddress = (value: string) => `replace(replace(replace(${value}, ':', ''), '-', ''), '.', '')`

/** Of the adapters each address once, those of the primary adapter first. */
const linesOfNetwork = (row: string) => {
  const adapters = `SELECT key AS position, value ->> 'isPrimary' AS is_primary, value ->> 'ipAddress' AS ip,
        value ->> 'macAddress' AS mac
      FROM json_each(${row}.content) WHERE type = 'object'`
  const addresses = `SELECT position, is_primary, ${line('ip', maxCharacters.address)} AS line FROM adapters
      UNION ALL SELECT position, is_primary, ${line(macAddress('mac'), maxCharacters.address)} FROM adapters`
  return `(WITH adapters AS MATERIALIZED (${adapters}), addresses AS (${addresses})
    SELECT coalesce(group_concat(line, ''), '') FROM (
      SELECT line FROM addresses WHERE line <> '' GROUP BY line ORDER BY max(coalesce(is_primary, 0)) DESC, min(position), line
      LIMIT ${maxAddresses}))`
}

/** Four texts of a device, so that a change of one does not index the others anew. */
const part = { device: 0, hardware: 1, network: 2, tags: 3 }
const idOf = (deviceId: string, which: number) => `(SELECT seq * 4 + ${which} FROM devices WHERE id = ${deviceId})`

/** Only what differs is written, for the index costs far more than to compare. */
const save = (id: string, lines: string) => `
  INSERT INTO device_search_texts (id, lines) SELECT ${id}, char(10) || ${lines} WHERE ${id} IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET lines = excluded.lines WHERE lines <> excluded.lines;`

/** The values of a text; one that a NUL ends is left out, as SQLite measures it. */
const valuesIn = (lines: string) => `(WITH RECURSIVE line (value, rest) AS (
    SELECT '', ${lines} UNION ALL
    SELECT substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1) FROM line
    WHERE instr(rest, char(10)) > 0
  ) SELECT value FROM line WHERE value <> '')`

const saveValues = (row: string) =>
  `INSERT INTO device_search_values (value, id) SELECT value, ${row}.id FROM ${valuesIn(`${row}.lines`)} WHERE true
    ON CONFLICT DO NOTHING;`
const deleteValues = `DELETE FROM device_search_values WHERE id = old.id AND value IN ${valuesIn('old.lines')};`

/** Of the device itself, whose names have indexes of their own: without taking its text apart, for users change often. */
const ownValues = (row: string) =>
  [`${row}.last_user`, `${row}.lan_ip`, `${row}.wan_ip`].map(
    (value) => `lower(substr(${value}, 1, ${maxCharacters.value}))`,
  )
const saveOwnValues = (row: string) =>
  `INSERT INTO device_search_values (value, id)
    SELECT value, ${row}.seq * 4 FROM (${ownValues(row)
      .map((value) => `SELECT ${value} AS value`)
      .join(' UNION ALL ')}) WHERE value <> '' ON CONFLICT DO NOTHING;`
const deleteOwnValues = `DELETE FROM device_search_values WHERE id = old.seq * 4 AND value IN (${ownValues('old').join(', ')});`

const searched = ['hostname', 'display_name', 'last_user', 'lan_ip', 'wan_ip']
const searchedHardware = ['serial_number', 'manufacturer', 'model']
const differs = (columns: readonly string[]) =>
  `(${columns.map((column) => `old.${column}`).join(', ')}) IS NOT (${columns.map((column) => `new.${column}`).join(', ')})`

export const sql = `
DROP TRIGGER device_search_insert;
DROP TRIGGER device_search_update;
DROP TRIGGER device_search_delete;
DROP TABLE device_search;

-- What a device is searched by: values in lower case, a line break before and after each. Written by triggers only.
CREATE TABLE device_search_texts (
  -- four times the seq of the device, and 0 for names, user and addresses, 1 for the hardware, 2 for the network, 3 for tags
  id INTEGER PRIMARY KEY,
  lines TEXT NOT NULL
) STRICT;
-- substring search over them; with one more line break every letter begins a trigram
CREATE VIRTUAL TABLE device_search USING fts5(
  lines, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram'
);
CREATE VIRTUAL TABLE device_search_terms USING fts5vocab(device_search, instance);
-- the values themselves, for what begins with a text; \`id\` is that of their text
CREATE TABLE device_search_values (
  value TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (value, id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER device_search_texts_insert AFTER INSERT ON device_search_texts BEGIN
  INSERT INTO device_search (rowid, lines) VALUES (new.id, new.lines || char(10));
END;
CREATE TRIGGER device_search_texts_update AFTER UPDATE OF lines ON device_search_texts BEGIN
  DELETE FROM device_search WHERE rowid = old.id;
  INSERT INTO device_search (rowid, lines) VALUES (new.id, new.lines || char(10));
END;
CREATE TRIGGER device_search_texts_delete AFTER DELETE ON device_search_texts BEGIN
  DELETE FROM device_search WHERE rowid = old.id;
END;

CREATE TRIGGER device_search_values_insert AFTER INSERT ON device_search_texts WHEN new.id % 4 > 0 BEGIN
  ${saveValues('new')}
END;
CREATE TRIGGER device_search_values_update AFTER UPDATE OF lines ON device_search_texts WHEN new.id % 4 > 0 BEGIN
  ${deleteValues}
  ${saveValues('new')}
END;
CREATE TRIGGER device_search_values_delete AFTER DELETE ON device_search_texts WHEN old.id % 4 > 0 BEGIN
  ${deleteValues}
END;
CREATE TRIGGER device_search_own_values_insert AFTER INSERT ON devices
WHEN coalesce(new.last_user, new.lan_ip, new.wan_ip) IS NOT NULL
BEGIN
  ${saveOwnValues('new')}
END;
CREATE TRIGGER device_search_own_values_update AFTER UPDATE OF last_user, lan_ip, wan_ip ON devices
WHEN ${differs(['last_user', 'lan_ip', 'wan_ip'])}
BEGIN
  ${deleteOwnValues}
  ${saveOwnValues('new')}
END;
CREATE TRIGGER device_search_own_values_delete AFTER DELETE ON devices BEGIN
  ${deleteOwnValues}
END;

CREATE TRIGGER device_search_insert AFTER INSERT ON devices BEGIN
  INSERT INTO device_search_texts (id, lines) VALUES (new.seq * 4, char(10) || ${linesOf('new')});
END;
CREATE TRIGGER device_search_update AFTER UPDATE OF ${searched.join(', ')} ON devices WHEN ${differs(searched)}
BEGIN${save('new.seq * 4', linesOf('new'))}
END;
CREATE TRIGGER device_search_tags_insert AFTER INSERT ON devices WHEN new.tags <> '[]'
BEGIN${save(`new.seq * 4 + ${part.tags}`, linesOfTags('new'))}
END;
CREATE TRIGGER device_search_tags_update AFTER UPDATE OF tags ON devices WHEN old.tags <> new.tags
BEGIN${save(`new.seq * 4 + ${part.tags}`, linesOfTags('new'))}
END;
CREATE TRIGGER device_search_delete AFTER DELETE ON devices BEGIN
  DELETE FROM device_search_texts WHERE id BETWEEN old.seq * 4 AND old.seq * 4 + 3;
END;

CREATE TRIGGER device_search_hardware_insert AFTER INSERT ON device_hardware
BEGIN${save(idOf('new.device_id', part.hardware), linesOfHardware('new'))}
END;
CREATE TRIGGER device_search_hardware_update AFTER UPDATE OF ${searchedHardware.join(', ')} ON device_hardware
WHEN ${differs(searchedHardware)}
BEGIN${save(idOf('new.device_id', part.hardware), linesOfHardware('new'))}
END;
CREATE TRIGGER device_search_hardware_delete AFTER DELETE ON device_hardware BEGIN
  DELETE FROM device_search_texts WHERE id = ${idOf('old.device_id', part.hardware)};
END;

CREATE TRIGGER device_search_network_insert AFTER INSERT ON device_reports WHEN new.kind = 'network'
BEGIN${save(idOf('new.device_id', part.network), linesOfNetwork('new'))}
END;
CREATE TRIGGER device_search_network_update AFTER UPDATE OF content ON device_reports
WHEN new.kind = 'network' AND old.content <> new.content
BEGIN${save(idOf('new.device_id', part.network), linesOfNetwork('new'))}
END;
CREATE TRIGGER device_search_network_delete AFTER DELETE ON device_reports WHEN old.kind = 'network' BEGIN
  DELETE FROM device_search_texts WHERE id = ${idOf('old.device_id', part.network)};
END;

INSERT INTO device_search_texts (id, lines) SELECT seq * 4, char(10) || ${linesOf('devices')} FROM devices;
INSERT INTO device_search_texts (id, lines)
  SELECT seq * 4 + ${part.hardware}, char(10) || ${linesOfHardware('device_hardware')}
  FROM devices JOIN device_hardware ON device_hardware.device_id = devices.id;
INSERT INTO device_search_texts (id, lines)
  SELECT seq * 4 + ${part.network}, char(10) || ${linesOfNetwork('device_reports')}
  FROM devices JOIN device_reports ON device_reports.device_id = devices.id AND kind = 'network';
INSERT INTO device_search_texts (id, lines)
  SELECT seq * 4 + ${part.tags}, char(10) || ${linesOfTags('devices')} FROM devices WHERE tags <> '[]';
INSERT INTO device_search_values (value, id)
  SELECT value, id FROM (${ownValues('devices')
    .map((value) => `SELECT ${value} AS value, seq * 4 AS id FROM devices`)
    .join(' UNION ALL ')})
  WHERE value <> '' ON CONFLICT DO NOTHING;

-- for the search of the whole console, which shows first what begins with the text
CREATE INDEX devices_display_name ON devices (display_name COLLATE NOCASE, id) WHERE display_name IS NOT NULL;
CREATE INDEX organizations_name ON organizations (name COLLATE NOCASE, id);
CREATE INDEX sites_name ON sites (name COLLATE NOCASE, id);
CREATE INDEX contacts_name ON contacts (name COLLATE NOCASE, id) WHERE name IS NOT NULL;
CREATE INDEX contacts_mail ON contacts (email, id) WHERE email IS NOT NULL;
CREATE INDEX users_name ON users (name COLLATE NOCASE, id);
`
