import type { Refusals } from './refusals.ts'

/** Why a release is not stored; `{file}` is the file it is about. */
export const componentsErrors = {
  component_not_found: {
    status: 404,
    error: 'There is no such program',
    onScreen: 'The appliance no longer has this version.',
  },
  component_busy: {
    status: 503,
    error: 'Too many agents are downloading at the moment',
    onScreen: null,
  },
  component_download_running: {
    status: 409,
    error: 'A download is already running',
    onScreen: 'A download is already running. Wait until it’s finished.',
  },
  component_installed: {
    status: 409,
    error: 'The appliance has this version installed and would add it again',
    onScreen: 'This version is installed on the appliance itself and would be added again. Uninstall it there first.',
  },
  component_disk_full: {
    status: 507,
    error: 'The disk of the appliance is full',
    onScreen: 'The appliance’s disk is full. Free some space and try again.',
  },
  component_files_missing: {
    status: 400,
    error: 'SHA256SUMS, SHA256SUMS.asc and at least one file of the release are needed',
    onScreen: 'Select SHA256SUMS, SHA256SUMS.asc and at least one file of the same release.',
  },
  component_file_unknown: {
    status: 400,
    error: 'This is no file of a release that agents could use',
    onScreen:
      '{file} isn’t a release file that agents can use. Files are named like restic_0.18.0_linux_amd64.bz2. Nothing was stored.',
  },
  component_file_twice: {
    status: 400,
    error: 'The same file was sent twice',
    onScreen: '{file} was selected twice. Nothing was stored.',
  },
  component_too_old: {
    status: 400,
    error: 'This version is too old for the agents',
    onScreen: '{file} is too old: agents need version {oldest} or newer. Nothing was stored.',
  },
  component_signature_invalid: {
    status: 400,
    error: 'The signature of SHA256SUMS is not by the release key',
    onScreen:
      'SHA256SUMS.asc isn’t a valid signature of SHA256SUMS by the release key. The files may have been tampered with. Nothing was stored.',
  },
  component_file_unlisted: {
    status: 400,
    error: 'This file is not listed in SHA256SUMS',
    onScreen: '{file} isn’t listed in SHA256SUMS. Use files of one release only. Nothing was stored.',
  },
  component_checksum_mismatch: {
    status: 400,
    error: 'This file does not have the checksum that SHA256SUMS says',
    onScreen: '{file} doesn’t have the checksum in SHA256SUMS. It’s incomplete or was changed. Nothing was stored.',
  },
  component_file_unreadable: {
    status: 400,
    error: 'This file cannot be unpacked',
    onScreen: '{file} can’t be unpacked: it isn’t one program of a reasonable size. Nothing was stored.',
  },
} as const satisfies Refusals
