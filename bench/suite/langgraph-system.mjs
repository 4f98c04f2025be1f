// What the LangGraph peers share: a graph of one node that calls the provider, its messages kept by a checkpointer, a thread a
// conversation, the durability that is its default ("async").
// https://docs.langchain.com/oss/javascript/langgraph/add-memory and https://docs.langchain.com/oss/javascript/langgraph/persistence

/** The packages come from the peer's folder. `bytes` and `stop` are the checkpointer's own. */
export function langgraphSystem({ langgraph, messages, openai, model, checkpointer, bytes, stop }) {
  const graph = compile(
    langgraph,
    messages,
    (sent) => openai.chat.completions.create({ model, ...sent }),
    checkpointer,
  );
  const thread = (conversation, more = {}) => ({ configurable: { thread_id: conversation, ...more } });
  /** An id on the message makes it one message however often it is sent: the reducer replaces by id. */
  const input = (turn, text) => ({ messages: [new messages.HumanMessage({ id: turn, content: text })] });
  const turn = async (conversation, id, text) =>
    textOf(await graph.invoke(input(id, text), thread(conversation)));
  return {
    /** A thread begins with its first message. */
    async open() {},
    turn,
    bytes: async (conversation) => ({ bytes: await bytes(conversation) }),
    async history(conversation) {
      const { values } = await graph.getState(thread(conversation));
      return (values.messages ?? []).map(chatMessage);
    },
    /** Nothing runs until it is called. */
    async completed() {
      return null;
    },
    /** The application has to look how far the thread came. Resuming with null alone would give the old answer where the message had not
     *  been written, the same input alone would answer again where the answer had been.
     *  https://docs.langchain.com/oss/javascript/langgraph/durable-execution#recovering-from-failures */
    async again(conversation, id, text) {
      const { values, next } = await graph.getState(thread(conversation));
      if (next.length > 0) return textOf(await graph.invoke(null, thread(conversation)));
      const asked = values.messages?.at(-2);
      return asked?.id === id ? textOf(values) : turn(conversation, id, text);
    },
    async firstToken(conversation, id, text) {
      const pieces = await graph.stream(input(id, text), {
        ...thread(conversation, { stream: true }),
        streamMode: "custom",
      });
      const reader = pieces[Symbol.asyncIterator]();
      await reader.next();
      void drain(reader);
    },
    close: (conversation) => checkpointer.deleteThread(conversation),
    stop,
  };
}

function compile(
  { StateGraph, StateSchema, MessagesValue, START, END },
  { AIMessage },
  create,
  checkpointer,
) {
  async function callModel(state, config) {
    const sent = { messages: state.messages.map(chatMessage) };
    if (config.configurable.stream !== true) {
      const { choices } = await create(sent);
      return { messages: [new AIMessage(choices[0].message.content)] };
    }
    let content = "";
    for await (const { choices } of await create({ ...sent, stream: true })) {
      const piece = choices[0]?.delta.content ?? "";
      if (piece !== "") config.writer(piece);
      content += piece;
    }
    return { messages: [new AIMessage(content)] };
  }
  return new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("callModel", callModel)
    .addEdge(START, "callModel")
    .addEdge("callModel", END)
    .compile({ checkpointer });
}

const chatMessage = (message) => ({
  role: message.type === "human" ? "user" : "assistant",
  content: message.content,
});

const textOf = (state) => state.messages.at(-1).content;

async function drain(reader) {
  while (!(await reader.next()).done);
}
