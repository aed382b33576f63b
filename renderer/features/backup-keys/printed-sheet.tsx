import type { RecoverySheet } from '../../../shared/api/backup-keys.ts'
import { count, exactTime } from '../../lib/format.ts'
import classes from './printed-sheet.module.css'

/** Complete enough to be understood years later, by somebody who has nothing else. */
export function PrintedSheet({ sheet }: { sheet: RecoverySheet }) {
  const { organization, madeAt, keys, storages, secondCopies, passwords, repositories, repositoryCount } = sheet
  const storageName = (id: string) => storages.find((storage) => storage.id === id)?.name
  return (
    <div className={classes.sheet}>
      <p className={classes.title}>Recovery sheet of {organization}</p>
      <p>
        {exactTime(madeAt)}, {location.origin}. Secret: this sheet opens all backups.
      </p>
      {keys.map(({ id, name, createdAt, key, check, qr }) => (
        <div key={id} className={classes.key}>
          <img src={qr} alt={`QR code of ${name}`} width={140} height={140} />
          <div>
            <p>
              <b>{name}</b>, made {exactTime(createdAt)}
            </p>
            <code>{inLines(key)}</code>
            <p>Check: {check}, the first digits of the SHA-256 of the 32 bytes</p>
          </div>
        </div>
      ))}
      <p className={classes.title}>How to use it</p>
      <p>
        The backups are restic repositories (restic.net), each in a folder of its own. The password of a repository is
        the HMAC-SHA256 of the name of its folder with the key:
      </p>
      <pre>{`printf %s FOLDER |\n  openssl dgst -sha256 -r -mac HMAC -macopt hexkey:KEY |\n  cut -c1-64`}</pre>
      <p>Type the key in one line, without spaces. Then, with that password:</p>
      <pre>restic -r PLACE snapshots{'\n'}restic -r PLACE restore SNAPSHOT --target /some/folder</pre>
      <p>
        With a copy of Homeport: <code>npm run admin -- recover-repository PLACE --key-stdin</code>
      </p>
      <p className={classes.title}>Places</p>
      <ul>
        {storages.map(({ id, name, place }) => (
          <li key={`${id} ${place}`}>
            {name}: <code>{place}</code>
          </li>
        ))}
      </ul>
      {secondCopies.length > 0 && (
        <>
          <p className={classes.title}>Second copies, in folders of the same names</p>
          <ul>
            {secondCopies.map(({ id, name, place }) => (
              <li key={`${id} ${place}`}>
                {name}: <code>{place}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      <p>The accounts of storage elsewhere are not on this sheet.</p>
      {passwords.length > 0 && (
        <>
          <p className={classes.title}>Repositories with a password of their own, until they have the key above</p>
          <ul>
            {passwords.map(({ deviceName, folder, password }) => (
              <li key={folder}>
                {deviceName}: <code>{folder}</code> <code>{password}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {repositories.length > 0 && (
        <>
          <p className={classes.title}>Folders of devices</p>
          <p>
            {repositoryCount > repositories.length &&
              `The first ${count(repositories.length)} of ${count(repositoryCount)}. `}
            Devices that were added later have folders, too, and are opened the same way.
          </p>
          <ul>
            {repositories.map(({ deviceName, configId, folder }) => (
              <li key={folder}>
                {deviceName}: <code>{folder}</code> in {storageName(configId)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** Four groups of four digits to a line, to be typed from paper and compared. */
const inLines = (key: string): string =>
  (key.match(/.{1,16}/g) ?? []).map((line) => line.match(/.{1,4}/g)?.join(' ')).join('\n')
