import type { StorageKind } from '../../domain/backup-storage/storage-kinds.ts'

/** What a kind of storage needs to know. */
export interface StorageField {
  /** In `details`. */
  key: string
  label: string
  about?: string
  example?: string
  isSecret?: true
  /** Several lines. */
  isLong?: true
  isOptional?: true
  isNumber?: true
}

const prefix: StorageField = {
  key: 'prefix',
  label: 'Folder in it',
  about: 'Optional. Everything is kept below this folder.',
  isOptional: true,
}

export const storageFields: Record<StorageKind, readonly StorageField[]> = {
  appliance: [],
  folder: [
    {
      key: 'path',
      label: 'Folder',
      about: 'On each device itself, for example a mounted share. It must be on every device that backs up there.',
      example: '/mnt/backup or D:\\Backup',
    },
  ],
  s3: [
    {
      key: 'endpoint',
      label: 'Endpoint',
      about: 'Leave empty for Amazon S3.',
      example: 'https://s3.example.com',
      isOptional: true,
    },
    { key: 'bucket', label: 'Bucket' },
    {
      key: 'region',
      label: 'Region',
      about: 'Optional if the endpoint names it.',
      example: 'eu-central-1',
      isOptional: true,
    },
    prefix,
    { key: 'accessKey', label: 'Access key', isSecret: true },
    { key: 'secretKey', label: 'Secret key', isSecret: true },
  ],
  sftp: [
    { key: 'host', label: 'Server', example: 'backup.example.com' },
    { key: 'port', label: 'Port', about: 'Optional; 22 if empty.', isOptional: true, isNumber: true },
    { key: 'username', label: 'User name' },
    { key: 'path', label: 'Folder', example: '/srv/backup' },
    {
      key: 'privateKey',
      label: 'Private key',
      about: 'In OpenSSH format, without a passphrase.',
      isSecret: true,
      isLong: true,
    },
    {
      key: 'hostKey',
      label: 'Host key',
      about: 'The server’s line of known_hosts, as “ssh-keyscan” prints it.',
      example: 'backup.example.com ssh-ed25519 AAAA…',
    },
  ],
  rest: [
    { key: 'url', label: 'Address', example: 'https://backup.example.com:8000/' },
    { key: 'username', label: 'User name', about: 'Optional.', isOptional: true },
    { key: 'password', label: 'Password', about: 'Optional.', isSecret: true, isOptional: true },
    {
      key: 'caCertificate',
      label: 'CA certificate',
      about: 'Optional. PEM, if the server’s certificate isn’t from a public authority.',
      isLong: true,
      isOptional: true,
    },
  ],
  azure_blob: [
    { key: 'accountName', label: 'Storage account' },
    { key: 'container', label: 'Container' },
    prefix,
    {
      key: 'accountKey',
      label: 'Account key',
      about: 'This or a SAS token is required.',
      isSecret: true,
      isOptional: true,
    },
    { key: 'sasToken', label: 'SAS token', isSecret: true, isOptional: true },
  ],
  google_cloud: [
    { key: 'projectId', label: 'Project' },
    { key: 'bucket', label: 'Bucket' },
    prefix,
    {
      key: 'credentialsJson',
      label: 'Key of a service account',
      about: 'The content of the JSON key file.',
      isSecret: true,
      isLong: true,
    },
  ],
  backblaze: [
    { key: 'bucket', label: 'Bucket' },
    prefix,
    { key: 'keyId', label: 'Key ID' },
    { key: 'applicationKey', label: 'Application key', isSecret: true },
  ],
}
