import { Alert, Button, Group, List, Progress, Stack, Text } from '@mantine/core'
import { IconShieldCheck, IconShieldExclamation } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AuditChains, chainsPerPage, chainsQuery, checkChainsNow } from '../../data/audit-chains.ts'
import { count, plural } from '../../lib/format.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { ChainTable } from './chain-table.tsx'
import { brokenChainsText } from './fault-labels.ts'

/** Shows whether the log was tampered with. */
export function ChainView() {
  const [page = 1, setPage] = useState<number>()
  const chains = useQuery(chainsQuery(page))
  return (
    <Loaded of={chains}>
      {({ data, summary }) => (
        <Stack>
          <Verdict summary={summary} />
          <ChainTable chains={data} isStale={chains.isPlaceholderData} />
          <Pager page={page} limit={chainsPerPage} total={summary.chains} what="chain" onPage={setPage} />
          <Explanation />
        </Stack>
      )}
    </Loaded>
  )
}

function Verdict({ summary }: Pick<AuditChains, 'summary'>) {
  const check = useMutation(checkChainsNow)
  const { chains, beingChecked, broken } = summary
  const isBusy = check.isPending || beingChecked > 0
  return (
    <Alert
      role="status"
      variant="light"
      color={broken > 0 ? 'red' : 'harbor'}
      icon={broken > 0 ? <IconShieldExclamation /> : <IconShieldCheck />}
      title={<Sentence summary={summary} />}
    >
      <Stack gap="sm">
        {broken > 0 && <WhatToDo />}
        {beingChecked > 0 && (
          <Progress value={(100 * (chains - beingChecked)) / chains} aria-label="Chains to show" animated />
        )}
        <Group gap="sm">
          <Button
            size="xs"
            variant="default"
            loading={isBusy}
            onClick={() => check.mutate(undefined, { onError: notifyFailed('The check didn’t start') })}
          >
            Check now
          </Button>
          <Text size="sm" role="status">
            {beingChecked > 0 && `${count(chains - beingChecked)} of ${plural(chains, 'chain')} checked`}
          </Text>
        </Group>
      </Stack>
    </Alert>
  )
}

function Sentence({ summary: { chains, events, broken, unchecked, oldestCheckAt } }: Pick<AuditChains, 'summary'>) {
  if (broken > 0) return brokenChainsText({ broken, chains })
  if (unchecked > 0)
    return unchecked === chains
      ? 'The log hasn’t been checked yet. Homeport checks it once a day.'
      : `No problem found, but ${plural(unchecked, 'chain')} of ${count(chains)} ${unchecked === 1 ? 'hasn’t' : 'haven’t'} been checked yet.`
  return (
    <>
      The log is intact: {plural(events, 'event')} in {plural(chains, 'chain')}, last checked{' '}
      <RelativeTime at={oldestCheckAt} />.
    </>
  )
}

function WhatToDo() {
  return (
    <>
      <Text size="sm">
        The database was changed outside of Homeport, its disk is damaged, or an older copy was restored.
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>Delete nothing. Copy the data folder as it is for the investigation.</List.Item>
        <List.Item>Find out who could write to the data folder at that time, and compare it with a backup.</List.Item>
        <List.Item>Don’t rely on the events around the fault. The other chains aren’t affected.</List.Item>
        <List.Item>The finding stays on record here, even if it’s repaired later.</List.Item>
      </List>
    </>
  )
}

function Explanation() {
  return (
    <Panel title="How the log is checked">
      <Text size="sm" c="dimmed">
        Each event carries a fingerprint computed from its content and from the fingerprint of the event before it. The
        events of each organization, and those of the company, form a chain. The end of each chain is sealed with a key
        of this appliance: changing, removing or adding an event unnoticed would require that key and rewriting every
        later event. Homeport checks all chains once a day. Events past their retention are removed in order, oldest
        first, which doesn’t break a chain.
      </Text>
      <Text size="sm" c="dimmed" mt="xs">
        Retention is set per organization, in its settings; the default is one year. Company events are kept as long as
        the longest of them.
      </Text>
    </Panel>
  )
}
