import type { DeviceMatch } from '../../../shared/api/search.ts'

const fields: Record<DeviceMatch['field'], string> = {
  hostname: 'Hostname',
  serialNumber: 'Serial number',
  macAddress: 'MAC address',
  ipAddress: 'IP address',
  lastUser: 'Last user',
  tag: 'Tag',
  model: 'Model',
  manufacturer: 'Manufacturer',
}

export const matchText = ({ field, value }: DeviceMatch): string => `${fields[field]} ${value}`
