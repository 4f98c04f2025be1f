export default {
  title: "Bare OpenAI SDK",
  about:
    "The floor: the SDK and an array of messages in memory. Nothing is kept; a process that ends has lost the conversation.",
  packages: ["openai"],
  growth: "none",
};
