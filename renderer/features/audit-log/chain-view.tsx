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
      variant="light"
      color={broken > 0 ? 'red' : 'harbor'}
      icon={broken > 0 ? <IconShieldExclamation /> : <IconShieldCheck />}
      title={<Sentence summary={summary} />}
    >
      <Stack gap="sm">
        {broken > 0 && <WhatToDo />}
        {beingChecked > 0 && (
          <Progress value={(100 * (chains - beingChecked)) / chains} aria-label="Chains that are checked" animated />
        )}
        <Group gap="sm">
          <Button
            size="xs"
            variant="default"
            loading={isBusy}
            onClick={() => check.mutate(undefined, { onError: notifyFailed('The check did not begin') })}
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
      ? 'Nobody has checked yet whether the log is whole; Homeport does it once a day.'
      : `No fault is known, but ${plural(unchecked, 'chain')} of ${count(chains)} ${unchecked === 1 ? 'was' : 'were'} not checked yet.`
  return (
    <>
      The log is whole: {plural(events, 'event')} in {plural(chains, 'chain')}, last checked{' '}
      <RelativeTime at={oldestCheckAt} />.
    </>
  )
}

function WhatToDo() {
  return (
    <>
      <Text size="sm">
        Somebody changed the database by other means than Homeport, its disk is damaged, or it was put back from an
        older copy.
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>Delete nothing. Copy the data folder as it is, for whoever looks into it.</List.Item>
        <List.Item>Find out who could write to the data folder at that time, and compare with a backup.</List.Item>
        <List.Item>Do not rely on the events around the fault; the other chains are not touched by it.</List.Item>
        <List.Item>What was found stays on record here, also when it is put right afterwards.</List.Item>
      </List>
    </>
  )
}

function Explanation() {
  return (
    <Panel title="How the log is checked">
      <Text size="sm" c="dimmed">
        Each event carries a fingerprint made from its words and from the fingerprint of the event before it, so that
        the events of each organization, and those of the company, form a chain. The end of each chain is sealed with a
        key of this appliance. To change, remove or add an event unnoticed, one would need that key and write everything
        after it anew. Homeport checks all chains once a day. Events whose time is over are removed in order, from the
        oldest on, and that does not break a chain.
      </Text>
      <Text size="sm" c="dimmed" mt="xs">
        How long events are kept is set for each organization, in its settings: one year unless somebody chooses. Those
        of the company are kept as long as the longest of them.
      </Text>
    </Panel>
  )
}
