/** Bytes of the histories of all runs of a workflow, as the server counts them, and the events of the last. `client` is any @temporalio/client. */
export async function historySize(client, workflowId) {
  const { workflowService } = client;
  const namespace = client.options.namespace;
  let bytes = 0;
  let events;
  for (let runId; runId !== ""; ) {
    const execution = { workflowId, ...(runId === undefined ? {} : { runId }) };
    const described = await workflowService.describeWorkflowExecution({ namespace, execution });
    const { execution: run, historySizeBytes, historyLength } = described.workflowExecutionInfo;
    bytes += Number(historySizeBytes);
    events ??= Number(historyLength);
    const { history } = await workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: run,
      maximumPageSize: 1,
    });
    runId = history.events[0].workflowExecutionStartedEventAttributes.continuedExecutionRunId ?? "";
  }
  return { bytes, events };
}
